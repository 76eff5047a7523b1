package import API
package import EventModel
package import HTTPModel
package import JSON
package import Sessions

/// What other parts of the server do for project chats.
package struct ProjectPorts: Sendable {
    /// A session as its machine's agent reports it.
    package enum Activity: Sendable {
        case idle
        case busy
        /// A person is asked.
        case asking
        /// It takes what is typed there.
        case terminal
    }

    /// A session that is to be started, or to go on.
    package struct Opening: Sendable {
        package var sessionID: String
        package var isNew: Bool
        package var machine: String
        package var directory: String
        package var model: String?
        package var effort: String?
        package var systemPrompt: String?
        package var history: [JSONValue]
    }

    /// A message to a session.
    package struct Message: Sendable {
        package var id: String
        package var text: String
        package var images: [MessageImage]
    }

    /// A part of an answer.
    package enum Step: Sendable {
        /// The message may be sent.
        case ready
        case piece(ChatPiece)
    }

    package typealias OnStep = @Sendable (Step) -> Void

    private let find: @Sendable (_ id: String) async throws(APIError) -> Session
    /// `nil` if no agent that is connected here runs the session.
    let activity: @Sendable (_ session: String, MachineID) -> Activity?
    /// The model that the session's client has, by the agent's word.
    let model: @Sendable (_ session: String, MachineID) -> String?
    let isConnected: @Sendable (MachineID) -> Bool
    let open: @Sendable (Opening, Responder) async throws(APIError) -> Session
    /// Denies all other MCP tools of a session. A name that does not exist is an error, unless `isLenient`.
    let limitTools: @Sendable (ToolLimits, _ isLenient: Bool, Session, Responder) async throws(APIError) -> Void
    /// Ends a session that was started for a message that was not sent, and takes it from the lists.
    let discard: @Sendable (Session, Responder) async -> Void
    let setModel: @Sendable (String, Session, Responder) async throws(APIError) -> Void
    let send: @Sendable (Message, Session, Responder) async throws(APIError) -> Void
    /// Whether a message was cancelled, or has failed.
    let isDropped: @Sendable (_ message: String, _ session: String) async -> Bool
    /// Tells the answer to a message; returns the agent's report of the end.
    let follow: @Sendable (_ message: String, Session, Responder, @escaping OnStep) async throws(APIError) -> JSONValue
    let unfollow: @Sendable (_ message: String, Session, Responder) async -> Void
    let interrupt: @Sendable (_ session: String, Responder) async throws(APIError) -> Void
    /// Whether any device may answer what is asked on the machine.
    let isAnswerable: @Sendable (MachineID) -> Bool

    /// Throws 404 if there is none.
    package func session(_ id: String) async throws(APIError) -> Session { try await find(id) }

    package init(
        session: @escaping @Sendable (_ id: String) async throws(APIError) -> Session,
        activity: @escaping @Sendable (_ session: String, MachineID) -> Activity?,
        model: @escaping @Sendable (_ session: String, MachineID) -> String?,
        isConnected: @escaping @Sendable (MachineID) -> Bool,
        open: @escaping @Sendable (Opening, Responder) async throws(APIError) -> Session,
        limitTools: @escaping @Sendable (ToolLimits, Bool, Session, Responder) async throws(APIError) -> Void,
        discard: @escaping @Sendable (Session, Responder) async -> Void,
        setModel: @escaping @Sendable (String, Session, Responder) async throws(APIError) -> Void,
        send: @escaping @Sendable (Message, Session, Responder) async throws(APIError) -> Void,
        isDropped: @escaping @Sendable (_ message: String, _ session: String) async -> Bool,
        follow:
            @escaping @Sendable (_ message: String, Session, Responder, @escaping OnStep) async throws(APIError)
            -> JSONValue,
        unfollow: @escaping @Sendable (_ message: String, Session, Responder) async -> Void,
        interrupt: @escaping @Sendable (_ session: String, Responder) async throws(APIError) -> Void,
        isAnswerable: @escaping @Sendable (MachineID) -> Bool
    ) {
        (self.limitTools, self.discard) = (limitTools, discard)
        (find, self.activity, self.model, self.isConnected) = (session, activity, model, isConnected)
        (self.open, self.setModel, self.send, self.isDropped) = (open, setModel, send, isDropped)
        (self.follow, self.unfollow, self.interrupt) = (follow, unfollow, interrupt)
        self.isAnswerable = isAnswerable
    }
}

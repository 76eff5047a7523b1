package import EventModel
package import HTTPModel
package import JSON

/// What a person, or the end of the time, says to a call.
package enum PersonAnswer: Sendable, Equatable {
    /// The call may run with its own input.
    ///
    /// - Parameter permissions: rules that the answer adds, as Claude Code takes them.
    case allowed(permissions: [JSONValue])
    case denied(message: String, isInterrupt: Bool)
    /// To a question.
    case replied(PersonReply)
    /// Another connection waits for the answer.
    case elsewhere
}

/// A prompt that waits for a person's answer to a call.
package struct OpenCall: Sendable, Equatable {
    /// The event that asks.
    package var event: EventID
    package var machine: MachineID
    package var machineName: String
    package var session: String
    package var toolUseID: String
    /// By the server's wall clock.
    package var until: Timestamp
    /// As `AskedCall.policy`.
    package var policy: String?
    /// Whether the session is only of this call, because nobody knows the call's own.
    package var isAlone: Bool
    /// If the call asks a question: what there was to choose.
    package var choices: [String]?
    /// How far the machine's clock is ahead of the server's, in microseconds.
    package var aheadMicroseconds: Int64 = 0

    package init(
        event: EventID,
        machine: MachineID,
        machineName: String,
        session: String,
        toolUseID: String,
        until: Timestamp,
        policy: String?,
        isAlone: Bool
    ) {
        (self.event, self.machine, self.machineName, self.session) = (event, machine, machineName, session)
        (self.toolUseID, self.until, self.policy, self.isAlone) = (toolUseID, until, policy, isAlone)
    }
}

package typealias PersonWait = @Sendable () async -> PersonAnswer

/// How tools ask a person. The prompts are those of hooks.
package struct PersonAsking: Sendable {
    /// Whether the key may ask without telling of a machine's file that limits the answers.
    let mayApprove: @Sendable (MachineGrant) -> Bool
    private let opening: @Sendable (AskedCall) async throws(APIError) -> OpenCall
    private let questioning: @Sendable (PersonQuestion) async throws(APIError) -> OpenCall
    /// Takes the turn to wait, from other connections of the same call. What it returns waits for the answer; if its
    /// task is cancelled, the prompt stays for a minute.
    let turn: @Sendable (OpenCall) -> PersonWait
    /// The client has gone; it may come back. Does not block.
    let left: @Sendable (OpenCall) -> Void
    /// Makes bytes a text that only servers of this database can read.
    let seal: @Sendable ([UInt8]) -> String?
    let unseal: @Sendable (String) -> [UInt8]?

    package init(
        mayApprove: @escaping @Sendable (MachineGrant) -> Bool,
        open: @escaping @Sendable (AskedCall) async throws(APIError) -> OpenCall,
        ask: @escaping @Sendable (PersonQuestion) async throws(APIError) -> OpenCall,
        turn: @escaping @Sendable (OpenCall) -> PersonWait,
        left: @escaping @Sendable (OpenCall) -> Void,
        seal: @escaping @Sendable ([UInt8]) -> String?,
        unseal: @escaping @Sendable (String) -> [UInt8]?
    ) {
        (self.mayApprove, opening, questioning) = (mayApprove, open, ask)
        (self.turn, self.left, self.seal, self.unseal) = (turn, left, seal, unseal)
    }

    /// Opens the prompt, or joins the one that asks for the same call.
    package func open(_ call: AskedCall) async throws(APIError) -> OpenCall { try await opening(call) }

    /// Opens the prompt of a question, or joins the one of the same call.
    package func open(_ question: PersonQuestion) async throws(APIError) -> OpenCall { try await questioning(question) }
}

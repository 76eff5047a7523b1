internal import EventModel
internal import HTTPModel
internal import Sessions

/// What a message may be, to whom it can be sent, and what its state allows.
enum MessageRules {
    static let maximumTextBytes = 32 << 10
    /// The number of messages that may wait for a session, and of interruptions.
    static let maximumWaiting: Int64 = 50
    /// The number of pictures in the messages that may wait for a session.
    static let maximumWaitingImages: Int64 = 30
    /// The number of seconds in which a machine delivers a message that it was given.
    static let offerSeconds = 60.0
    /// The number of seconds after which a delivered but unread message no longer holds back the next one. A busy
    /// session reads messages without reporting it.
    static let unreadSeconds = 20.0
    /// The number of seconds for which an interruption is valid. It is meant for the running turn.
    static let interruptSeconds = 3600.0

    static func check(_ text: String) throws(APIError) {
        guard !text.isEmpty, text.utf8.count <= maximumTextBytes else {
            throw .invalid("invalid_parameter", "'text' must be 1 to \(maximumTextBytes) bytes.", param: "text")
        }
    }

    /// Throws 409 unless the session's machine takes messages for it.
    ///
    /// - Parameters:
    ///   - hasSocket: what the machine has said; `nil` if it never asked for the session's messages.
    ///   - needsSocket: false for an interruption, which no socket takes.
    static func checkReach(hasEnded: Bool, hasSocket: Bool?, needsSocket: Bool) throws(APIError) {
        guard !hasEnded else { throw .notReachable("The session has ended.") }
        guard let hasSocket else {
            throw .notReachable("The session's machine takes no messages: its hooks are older, or not installed.")
        }
        guard hasSocket || !needsSocket else {
            throw .notReachable(
                "The session takes no messages: its machine's rules forbid them, or its Claude Code has no inbox."
            )
        }
    }

    /// Throws unless the text is the name of a command and an agent runs the session for this caller. The agent checks
    /// whether the command exists.
    static func checkCommand(_ text: String, to session: Session, by principal: Principal) throws(APIError) {
        guard principal.may(.control, on: session.machine) else {
            throw .insufficientScope(principal.lacking(.control, on: session.machine))
        }
        guard session.runner == .agent else { throw .notOurs("Type the command there.") }
        guard text.utf8.first == UInt8(ascii: "/"), text.dropFirst().first?.isLetter ?? false else {
            throw .invalid("invalid_parameter", "A command begins with / and its name.", param: "text")
        }
    }

    /// Throws unless an agent runs the session. Others have no way to give it pictures.
    static func checkImages(to session: Session) throws(APIError) {
        guard session.runner == .agent else { throw .notOurs("It takes no pictures from here.") }
    }

    /// Whether the message may wait in the session for the end of the turn.
    static func mayBeTakenBack(_ message: SessionMessage) -> Bool {
        message.state == .delivered && message.kind == .message
    }

    /// The response to the cancelling of a message that could not be cancelled.
    ///
    /// - Parameter known: the message of that id.
    static func uncancelled(_ known: SessionMessage?, of sessionID: String) throws(APIError) -> SessionMessage {
        guard let known, known.sessionID == sessionID else {
            throw .notFound("message_not_found", "There is no message of that id.")
        }
        guard known.state != .cancelled else { return known }
        throw APIError(
            .conflict,
            status: 409,
            code: "already_delivered",
            message: known.state == .queued
                ? "The machine was given the message just now and may have written it to the session."
                : "The machine has the message already: it is \(known.state.rawValue)."
        )
    }

    /// The states that a message may have before its machine reports this one.
    static func states(before state: SessionMessage.State) -> [SessionMessage.State] {
        state == .delivered ? [.queued] : [.queued, .delivered]
    }

    /// Whether the chain records the state. It records what people and machines do, not what follows from it.
    static func isRecorded(_ state: SessionMessage.State) -> Bool {
        state == .queued || state == .cancelled || state == .delivered
    }
}

extension APIError {
    fileprivate static func notOurs(_ advice: String) -> APIError {
        APIError(
            .conflict,
            status: 409,
            code: "not_ours",
            message: "A terminal or another program runs this session. \(advice)"
        )
    }

    fileprivate static func notReachable(_ message: String) -> APIError {
        APIError(.conflict, status: 409, code: "not_reachable", message: message)
    }
}

import EventModel
import JSON
import RPC

/// `session/send`, `session/input`, `session/stop`: messages to sessions, and the end of their turns.
enum TurnMethods {
    static let all = [send, input, stop]

    private static let sent = ObjectShape<String>("SentMessage") { it in
        it.constant("status", "sent")
        it.member("session_id") { $0 }
        it.constant("agent_type", "claude")
    }

    private static let send = CdevMethod.query(
        "session/send",
        "Sends a message to a session that runs.",
        [
            .text("prompt", "The message.", limit: 1 << 15).required,
            .text("session_id", "The session. Required, because this server starts none.").also("sessionId"),
            .text("workspace_id", "Ignored: the session knows it.").also("workspaceId"),
            .text("mode", "Only 'continue': this server starts no session."), .permissionMode,
            .flag("yolo_mode", "Ignored."), .agentType,
        ],
        as: sent,
        needs: .respond,
        errors: [.sessionNotFound, .agentNotConfigured, .notAllowed]
    ) { call async throws(RPCError) in
        let params = call.params
        guard try params.string("mode") ?? "continue" == "continue" else {
            throw .agentNotConfigured("session/send", sessionID: try params.string("session_id"))
        }
        let session = try params.required("session_id", "sessionId")
        let text = try params.required("prompt", limit: 1 << 15)
        try await AnswerMethods.respond(call, "session/send", .message(sessionID: session, text))
        return session
    }

    private static let input = CdevMethod.query(
        "session/input",
        "Sends a message to a session, or ends its turn with the key 'escape'.",
        [
            .placeSessionID,
            .text("input", "The message. In the cdev dialect the name of a key is the key.", limit: 1 << 15),
            .text("key", "'escape' or 'esc'."), .agentType,
        ],
        as: sent,
        needs: .respond,
        errors: [.sessionNotFound, .agentNotConfigured, .notAllowed]
    ) { call async throws(RPCError) in
        let session = try call.params.sessionID()
        let text = try call.params.string("input", limit: 1 << 15)
        let request: RPCResponse.Request
        switch SessionInput(text: text, key: try call.params.string("key"), dialect: call.dialect) {
        case .message(let text): request = .message(sessionID: session, text)
        case .escape: request = call.dialect == .cdev ? .escape(sessionID: session) : .interrupt(sessionID: session)
        case .otherKey: throw .agentNotConfigured("session/input", sessionID: session)
        }
        try await AnswerMethods.respond(call, "session/input", request)
        return session
    }

    private typealias Stopped = (sessionID: String, hasEnded: Bool)

    private static let stop = CdevMethod.query(
        "session/stop",
        "Ends the turn of a session. The session itself goes on.",
        [.placeSessionID, .agentType],
        as: ObjectShape<Stopped>("StoppedSession") { it in
            it.member("success") { _ in true }
            it.member("session_id") { $0.sessionID }
            it.member("status", as: JSONSchema.words("stopped", "stopping")) { $0.hasEnded ? "stopped" : "stopping" }
            it.member("message") { $0.hasEnded ? "The turn has ended." : "The turn ends at its next tool." }
            it.constant("agent_type", "claude")
        },
        needs: .respond,
        errors: [.sessionNotFound, .agentNotConfigured, .notAllowed]
    ) { call async throws(RPCError) in
        let session = try call.params.sessionID()
        return (session, try await call.services.prompts.stop(session, by: call.context.principal))
    }
}

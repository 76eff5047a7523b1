import EventModel
import JSON
import RPC
import Sessions

/// `session/send`, `session/input`, `session/stop`: messages to sessions, and the end of their turns.
enum TurnMethods {
    static let all = [send, input, resize, stop]

    private static let sent = ObjectShape<String>("SentMessage") { it in
        it.constant("status", "sent")
        it.member("session_id") { $0 }
        it.constant("agent_type", "claude")
    }

    private static let sendDescription = RPCDescription(
        "Sends a message to a session that runs, or starts one with it.",
        [
            .text("prompt", "The message.", limit: 1 << 15).required,
            .text("session_id", "The session. Without one, 'workspace_id' and the mode 'new'.").also("sessionId"),
            .text("workspace_id", "Where a new session starts; else ignored.").also("workspaceId"),
            .text("mode", "'continue', or 'new' to start a session where the machine's agent is connected."),
            .permissionMode,
            .flag("yolo_mode", "Ignored."), .agentType,
        ],
        as: sent,
        needs: .respond,
        errors: [.sessionNotFound, .agentNotConfigured, .notAllowed]
    )

    private static let send = CdevMethod.query("session/send", sendDescription) { call async throws(RPCError) in
        let params = call.params
        let text = try params.required("prompt", limit: 1 << 15)
        switch try params.string("mode") ?? "continue" {
        case "continue": break
        case "new":
            if let start = try await NewSession.with(text, call, "session/send") {
                return start.answer(to: call) { RPCResult(sent, $0.id) }
            }
        default: throw .invalidParameter("mode", "is neither 'new' nor 'continue'")
        }
        let session = try params.required("session_id", "sessionId")
        try await respond(call, "session/send", .message(sessionID: session, text))
        return RPCAnswer(RPCResult(sent, session))
    }

    /// Sends something to a session. cdev's clients learn from the error whether they have to resume it first.
    static func respond(
        _ call: CdevQuery,
        _ method: String,
        _ request: RPCResponse.Request
    ) async throws(RPCError) {
        do throws(RPCError) {
            try await AnswerMethods.respond(call, method, request)
        } catch {
            guard error.code == RPCError.agentNotConfigured(method).code, let id = request.sessionID,
                let session = try await call.services.sessions.session(id: id),
                !call.view(session, now: call.clock()).isRunning
            else { throw error }
            throw .sessionNotRunning(id)
        }
    }

    private static let input = CdevMethod.query(
        "session/input",
        "Sends a message to a session, ends its turn with the key 'escape', or types at its terminal.",
        [
            .placeSessionID,
            .text("input", "The message. In the cdev dialect the name of a key is the key.", limit: 1 << 15),
            .text("key", "'escape' or 'esc'; any key of a session in a terminal of the machine's agent."),
            .text("data", "What a keyboard sends to such a terminal. Needs 'control'.", limit: 1 << 14), .agentType,
        ],
        as: sent,
        needs: .respond,
        errors: [.sessionNotFound, .agentNotConfigured, .notAllowed]
    ) { call async throws(RPCError) in
        let session = try call.params.sessionID()
        let text = try call.params.string("input", limit: 1 << 15)
        let request: RPCResponse.Request
        let (key, data) = (try call.params.string("key"), try call.params.string("data", limit: 1 << 14))
        switch SessionInput(text: text, key: key, data: data, dialect: call.dialect) {
        case .message(let text): request = .message(sessionID: session, text)
        case .keys(let keys): request = .keys(sessionID: session, keys)
        case .key(let name):
            guard try await terminal(session, call) != nil else {
                throw .agentNotConfigured("session/input", sessionID: session)
            }
            guard let keys = SessionInput.sent(by: name) else { throw .invalidParameter("key", "is unknown") }
            request = .keys(sessionID: session, keys)
        case .escape:
            // Who may type presses the key. Others end the turn as far as hooks can.
            if let machine = try await terminal(session, call), call.context.principal.may(.control, on: machine) {
                request = .keys(sessionID: session, SessionInput.sent(by: "escape") ?? "")
            } else {
                request = call.dialect == .cdev ? .escape(sessionID: session) : .interrupt(sessionID: session)
            }
        }
        try await respond(call, "session/input", request)
        return session
    }

    /// The machine of a session that runs in a terminal of its agent; `nil` of any other session.
    private static func terminal(_ session: String, _ call: CdevQuery) async throws(RPCError) -> MachineID? {
        let known = try await call.services.sessions.session(id: session)
        return known?.runner == .terminal && known?.endedAt == nil ? known?.machine : nil
    }

    private static let resize = CdevMethod.query(
        "session/resize",
        "Gives the terminal of a session a size. The screen is drawn again, also at the same size.",
        [
            .placeSessionID, .integer("cols", 2...1000, "Columns.").required,
            .integer("rows", 2...1000, "Rows.").required,
        ],
        as: ObjectShape<String>("ResizedSession") { it in
            it.member("success") { _ in true }
            it.member("session_id") { $0 }
        },
        needs: .control,
        errors: [.sessionNotFound, .agentNotConfigured, .notAllowed]
    ) { call async throws(RPCError) in
        let session = try call.params.sessionID()
        guard let columns = try call.params.integer("cols", in: 2...1000) else {
            throw .invalidParameter("cols", "is missing")
        }
        guard let rows = try call.params.integer("rows", in: 2...1000) else {
            throw .invalidParameter("rows", "is missing")
        }
        try await AnswerMethods.respond(
            call,
            "session/resize",
            .size(sessionID: session, columns: columns, rows: rows)
        )
        return session
    }

    typealias Stopped = (sessionID: String, hasEnded: Bool)

    static let stopped = ObjectShape<Stopped>("StoppedSession") { it in
        it.member("success") { _ in true }
        it.member("session_id") { $0.sessionID }
        it.member("status", as: JSONSchema.words("stopped", "stopping")) { $0.hasEnded ? "stopped" : "stopping" }
        it.member("message") { $0.hasEnded ? "The turn has ended." : "The turn ends at its next tool." }
        it.constant("agent_type", "claude")
    }

    private static let stop = CdevMethod.query(
        "session/stop",
        "Ends a session that the machine's agent runs, or the turn of another one, which goes on.",
        [.placeSessionID, .agentType],
        as: stopped,
        needs: .respond,
        errors: [.sessionNotFound, .agentNotConfigured, .notAllowed]
    ) { call async throws(RPCError) in
        let session = try call.params.sessionID()
        return (session, try await call.services.prompts.stop(session, by: call.context.principal))
    }
}

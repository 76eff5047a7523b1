import EventModel
import JSON
import RPC
import Sessions
import WSFanout

/// `agent/run`, `agent/stop`, `agent/respond`, `agent/status`: cdev's older names, from the time when a server had one
/// repository and one session.
enum LegacyMethods {
    static let all = [run, stop, respond, status]

    private static let session = RPCParameter.text("session_id", "By default the one that the client chose last.")
        .also("sessionId")

    private typealias Run = (sessionID: String, mode: String)

    private static let begun = ObjectShape<Run>("AgentRun") { it in
        it.constant("status", "started")
        it.member("session_id") { $0.sessionID }
        it.member("mode", as: JSONSchema.words("new", "continue")) { $0.mode }
        it.constant("agent_type", "claude")
    }

    private static let runDescription = RPCDescription(
        "As session/send: starts a session with a message, or sends it to one that runs.",
        [
            .text("prompt", "What to do.", limit: 1 << 15).required,
            .choice("mode", ["new", "continue"], "Usually new."),
            session, .text("workspace_id", "By default that of the session.").also("workspaceId"), .permissionMode,
        ],
        as: begun,
        needs: .respond,
        errors: [.sessionNotFound, .agentNotConfigured, .notAllowed]
    )

    private static let run = CdevMethod.query("agent/run", runDescription) { call async throws(RPCError) in
        let text = try call.params.required("prompt", limit: 1 << 15)
        let mode = try call.params.string("mode") ?? "new"
        if mode == "new" {
            let place = call.context.presence.chosen(by: call.state.clientID)
            if let start = try await NewSession.with(text, call, "agent/run", orIn: place?.workspaceID) {
                return start.answer(to: call) { RPCResult(begun, ($0.id, mode)) }
            }
        }
        let id = try call.params.required("session_id", "sessionId")
        try await TurnMethods.respond(call, "agent/run", .message(sessionID: id, text))
        return RPCAnswer(RPCResult(begun, (id, mode)))
    }

    private static let stop = CdevMethod.query(
        "agent/stop",
        "As session/stop.",
        [session],
        as: TurnMethods.stopped,
        needs: .respond,
        errors: [.sessionNotFound, .agentNotRunning, .agentNotConfigured, .notAllowed]
    ) { call async throws(RPCError) in
        guard let session = try await meant(call), session.endedAt == nil else { throw .agentNotRunning("agent/stop") }
        let principal = call.context.principal
        return (session.id, try await call.services.prompts.stop(session.id, by: principal))
    }

    private static let respond = CdevMethod.query(
        "agent/respond",
        "As session/respond, for the request of this id.",
        [
            .text("tool_use_id", "The request, or the prompt.").required,
            .text("response", "yes, no or a text.", limit: 1 << 16).required,
            .flag("is_error", "Refuses the call; the response says why."),
        ],
        as: ObjectShape<String>("AgentResponse") { it in
            it.constant("status", "sent")
            it.member("tool_use_id") { $0 }
        },
        needs: .respond,
        errors: [.notAllowed]
    ) { call async throws(RPCError) in
        let id = try call.params.required("tool_use_id")
        let text = try call.params.required("response", limit: 1 << 16)
        let isRefusal = try call.params.boolean("is_error") ?? false
        try await AnswerMethods.respond(call, "agent/respond", .named(id: id, text, isRefusal: isRefusal))
        return id
    }

    private static let status = CdevMethod.query(
        "agent/status",
        "As session/state, in a few words.",
        [session],
        as: ObjectShape<SessionView?>("AgentStatus") { it in
            it.member("state", as: JSONSchema.choice(Session.State.allCases.map(\.rawValue))) {
                $0.map { $0.isRunning ? $0.session.state.rawValue : "idle" } ?? "idle"
            }
            it.member("session_id") { $0?.session.id ?? "" }
            it.member("is_running") { $0?.isRunning ?? false }
            it.member("waiting_for") { $0?.session.waitingFor?.toolName }
            it.member("pending_tool_use_id") { $0?.session.waitingFor?.toolUseID }
            it.constant("agent_type", "claude")
        },
        errors: [.sessionNotFound]
    ) { call async throws(RPCError) in
        try await meant(call).map { call.view($0, now: call.clock()) }
    }

    /// The session that is named, else the one that the client chose last, else the only one that an agent runs.
    private static func meant(_ call: CdevQuery) async throws(RPCError) -> Session? {
        if let id = try call.params.first(of: "session_id", "sessionId") { return try await call.session(id) }
        if let place = call.context.presence.chosen(by: call.state.clientID),
            let session = try await call.services.sessions.session(id: place.sessionID)
        {
            return session
        }
        let running = try await call.runningSessions(now: call.clock()).filter { $0.runner == .agent }
        guard running.count < 2 else { throw .invalidParameter("session_id", "is required: several sessions run") }
        return running.first
    }
}

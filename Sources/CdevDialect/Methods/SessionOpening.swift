import EventModel
import JSON
import RPC
import Sessions

/// `session/start`. cdev's clients use it to open a workspace in which no session runs. This server starts nothing, and
/// answers with the existing session.
enum SessionOpening {
    private static let name = "session/start"

    private static let description = RPCDescription(
        "Opens a session that exists: the named one, or the latest of a workspace where none runs. Starts nothing.",
        [
            .placeWorkspaceID, .text("session_id", "Which to open.").also("resume_session_id"),
            .permissionMode, .flag("yolo_mode", "Whether nothing is asked."),
            .text("agent_type", "Of which kind."),
        ],
        as: opened,
        errors: [.agentNotConfigured]
    )

    static let start = CdevMethod.query(name, description) { call async throws(RPCError) in
        let now = call.clock()
        guard let session = try await existing(call, now: now) else {
            throw .agentNotConfigured(name, sessionID: try asked(call.params))
        }
        let actions = call.dialect == .cdev ? [CdevHost.Action.remind(.session(session.id))] : []
        return RPCAnswer(RPCResult(opened, call.view(session, now: now)), actions: actions)
    }

    private static let opened = ObjectShape<SessionView>("OpenedSession") { it in
        it.member("id") { $0.session.id }
        it.member("session_id") { $0.session.id }
        it.member("workspace_id") { $0.session.workspaceID ?? "" }
        it.constant("status", "existing")
        it.member("source", as: JSONSchema.words("live", "")) { $0.isRunning ? "live" : "" }
        it.constant("agent_type", "claude")
        it.member("has_pending_permission") { $0.isRunning && !$0.session.pendingPermissions.isEmpty }
        it.member("message") { _ in "This session exists. The server starts no sessions." }
    }

    /// Returns `nil` if a session would have to be started.
    private static func existing(_ call: CdevQuery, now: Timestamp) async throws(RPCError) -> Session? {
        guard try call.params.string("agent_type") ?? "claude" == "claude" else { return nil }
        if let id = try asked(call.params) { return try await call.services.sessions.session(id: id) }
        let workspaceID = try call.params.required("workspace_id", "workspaceId")
        guard try await call.runningSessions(in: workspaceID, now: now).isEmpty else { return nil }
        var query = SessionQuery(now: now, limit: 1)
        query.workspaceID = workspaceID
        return try await call.services.sessions.sessions(query).sessions.first
    }

    private static func asked(_ params: RPCParams) throws(RPCError) -> String? {
        if let id = try params.string("session_id") { return id }
        return try params.string("resume_session_id")
    }
}

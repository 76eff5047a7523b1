import EventModel
import JSON
import RPC
import Sessions

/// `session/start`. cdev's clients open a workspace by it where no session runs; this server starts nothing, and
/// answers with the session that is there already.
enum SessionOpening {
    private static let name = "session/start"

    static let start = RPCMethod.query(
        name,
        RPCDescription(
            "Opens a session that exists: the named one, or the latest of a workspace where none runs. Starts nothing.",
            [
                .placeWorkspaceID, .text("session_id", "Which to open.").also("resume_session_id"),
                .permissionMode, .flag("yolo_mode", "Whether nothing is asked."),
                .text("agent_type", "Of which kind."),
            ],
            as: "OpenedSession",
            errors: [.agentNotConfigured]
        )
    ) { call async throws(RPCError) in
        let now = call.clock()
        guard let session = try await existing(call, now: now) else {
            throw .agentNotConfigured(name, sessionID: try asked(call.params))
        }
        let shape = call.shape(session, now: now)
        let waits = shape.isRunning && !session.pendingPermissions.isEmpty
        return RPCResult { writer in
            writer.field("id", session.id)
            writer.field("session_id", session.id)
            writer.field("workspace_id", session.workspaceID ?? "")
            writer.field("status", "existing")
            writer.field("source", shape.isRunning ? "live" : "")
            writer.field("agent_type", "claude")
            writer.field("has_pending_permission", waits)
            writer.field("message", "This session exists. The server starts no sessions.")
        }
    }

    /// `nil` where a session would have to be started.
    private static func existing(_ call: RPCQuery, now: Timestamp) async throws(RPCError) -> Session? {
        guard try call.params.string("agent_type") ?? "claude" == "claude" else { return nil }
        if let id = try asked(call.params) { return try await call.store.session(id: id) }
        let workspaceID = try call.params.required("workspace_id", "workspaceId")
        guard try await call.runningSessions(in: workspaceID, now: now).isEmpty else { return nil }
        var query = SessionQuery(now: now, limit: 1)
        query.workspaceID = workspaceID
        return try await call.store.sessions(query).sessions.first
    }

    private static func asked(_ params: RPCParams) throws(RPCError) -> String? {
        if let id = try params.string("session_id") { return id }
        return try params.string("resume_session_id")
    }
}

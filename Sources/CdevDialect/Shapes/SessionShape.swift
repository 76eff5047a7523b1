import EventModel
import JSON
import RPC
import Sessions
import WSFanout

/// A session as cdev's clients read it, in a list of any method: a superset of what each of them names.
struct SessionShape {
    let session: Session
    let now: Timestamp
    let presence: Presence

    var isRunning: Bool { session.isRunning(now: now) }

    /// cdev's clients refuse other words.
    var status: String { isRunning ? "running" : "historical" }

    func write(to writer: inout JSONWriter) {
        writer.beginObject()
        writeFields(to: &writer)
        writer.endObject()
    }

    func writeFields(to writer: inout JSONWriter) {
        writer.field("id", session.id)
        writer.field("session_id", session.id)
        writer.field("workspace_id", session.workspaceID ?? "")
        writer.field("status", status)
        writer.field("agent_type", "claude")
        writer.field("project_path", session.projectPath ?? "")
        writer.field("started_at", session.startedAt.description)
        writer.field("start_time", session.startedAt.description)
        writer.field("last_active", session.lastActivityAt.description)
        writer.field("last_updated", session.lastActivityAt.description)
        writer.field("summary", session.title ?? "")
        writer.field("message_count", session.messageCount)
        writer.field("branch", "")
        writer.strings("viewers", presence.viewers(of: session.id))
        writer.field("claude_state", session.state.rawValue)
        writer.field("machine_name", session.machineName)
        writer.field("model", session.currentModel)
    }

    /// What somebody who comes back has to know.
    func writeState(to writer: inout JSONWriter) {
        writer.field("claude_session_id", session.id)
        writer.field("is_running", isRunning)
        writer.field("waiting_for_input", (isRunning && session.state == .waiting))
        writer.field("pending_tool_use_id", session.waitingFor?.toolUseID)
        writer.field("pending_tool_name", session.waitingFor?.toolName)
        writer.field("permission_mode", session.permissionMode)
        writer.field("last_seq", session.lastSeq)
        if session.state == .error { writer.field("error", "the last turn ended with an error") }
    }
}

extension RPCQuery {
    func shape(_ session: Session, now: Timestamp) -> SessionShape {
        SessionShape(session: session, now: now, presence: context.presence)
    }

    func session(_ id: String) async throws(RPCError) -> Session {
        guard let session = try await store.session(id: id) else { throw .sessionNotFound(id) }
        return session
    }

    func workspace(_ id: String) async throws(RPCError) -> WorkspaceRecord {
        guard let workspace = try await store.workspace(id: id) else { throw .workspaceNotFound(id) }
        return workspace
    }

    /// The latest active first, at most 200.
    func runningSessions(in workspaceID: String? = nil, now: Timestamp) async throws(RPCError) -> [Session] {
        var query = SessionQuery(now: now, limit: 200)
        query.isRunning = true
        query.workspaceID = workspaceID
        return try await store.sessions(query).sessions
    }
}

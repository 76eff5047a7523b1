import EventModel
import JSON
import RPC
import Sessions

/// `status/get`, `status/health`.
enum StatusMethods {
    static let all = [health, status]

    static let health = RPCMethod.immediate(
        "status/health",
        RPCDescription("Whether events can be committed.", as: "RPCHealth")
    ) { call in
        let isHealthy = call.context.isHealthy
        return RPCResult { writer in
            writer.field("status", (isHealthy ? "healthy" : "degraded"))
            writer.field("healthy", isHealthy)
        }
    }

    /// The session is the latest active one.
    static let status = RPCMethod.query(
        "status/get",
        RPCDescription("The server, and its latest active session.", as: "Status")
    ) { call async throws(RPCError) in
        let query = SessionQuery(now: call.clock(), limit: 1)
        let session = try await call.store.sessions(query).sessions.first
        let path = session?.projectPath ?? ""
        return RPCResult { writer in
            writer.field("session_id", session?.id ?? "")
            writer.field("agent_session_id", session?.id ?? "")
            writer.field("agent_state", call.context.claudeStatus)
            writer.field("claude_state", call.context.claudeStatus)
            writer.field("agent_type", "claude")
            writer.field("connected_clients", call.context.connectedClients)
            writer.field("repo_path", path)
            writer.field("repo_name", path.split(separator: "/").last.map(String.init) ?? "")
            writer.field("uptime_seconds", call.context.uptimeSeconds)
            writer.field("version", call.context.serverVersion)
            writer.field("watcher_enabled", false)
            writer.field("git_enabled", false)
        }
    }
}

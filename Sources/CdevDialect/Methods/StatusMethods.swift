import EventModel
import JSON
import RPC
import Sessions

/// `status/get`, `status/health`.
enum StatusMethods {
    static let all = [health, status]

    static let health = CdevMethod.immediate(
        "status/health",
        "Whether events can be committed.",
        as: ObjectShape<Bool>("RPCHealth") { it in
            it.member("status", as: JSONSchema.words("healthy", "degraded")) { $0 ? "healthy" : "degraded" }
            it.member("healthy") { $0 }
        }
    ) { call in call.context.isHealthy }

    /// The session is the most recently active one.
    static let status = CdevMethod.query(
        "status/get",
        "The server, and its latest active session.",
        as: shape
    ) { call async throws(RPCError) in
        let query = SessionQuery(now: call.clock(), limit: 1)
        return (call.context, try await call.services.sessions.sessions(query).sessions.first)
    }

    private static let shape = ObjectShape<(context: CdevContext, session: Session?)>("Status") { it in
        it.member("session_id") { $0.session?.id ?? "" }
        it.member("agent_session_id") { $0.session?.id ?? "" }
        it.member("agent_state", as: claudeStatus) { $0.context.claudeStatus }
        it.member("claude_state", as: claudeStatus) { $0.context.claudeStatus }
        it.constant("agent_type", "claude")
        it.member("connected_clients") { $0.context.connectedClients }
        it.member("repo_path") { $0.session?.projectPath ?? "" }
        it.member("repo_name") { $0.session?.projectPath.map(DirectoryPath.lastPart) ?? "" }
        it.member("uptime_seconds") { $0.context.uptimeSeconds }
        it.member("version") { $0.context.serverVersion }
        it.member("watcher_enabled") { $0.context.abilities().files }
        it.member("git_enabled") { $0.context.abilities().git.contains("read") }
    }

    private static let claudeStatus = JSONSchema.words("running", "waiting", "idle")
}

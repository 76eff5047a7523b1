import EventModel
import JSON
import RPC
import Sessions
import WSFanout

/// A session as cdev's clients read it.
struct SessionView {
    let session: Session
    let now: Timestamp
    let presence: Presence
    var dialect = Dialect.plain

    /// In cdev's dialect a running session is one that takes messages and was active in the last day. One that asks a
    /// person something runs too, as does one at work whose machine has never said whether it takes messages.
    var isRunning: Bool {
        let isAtWork = session.isRunning(now: now)
        guard dialect == .cdev, let accepts = session.acceptsMessages else { return isAtWork }
        return accepts ? session.isInReach(now: now) : isAtWork && session.state == .waiting
    }

    /// A session in the lists of all methods. It has the members that any of them needs.
    static let shape = ObjectShape<SessionView>("RPCSession") { it in
        it.member("id") { $0.session.id }
        it.member("session_id") { $0.session.id }
        it.member("workspace_id") { $0.session.workspaceID ?? "" }
        // cdev's clients refuse other words.
        it.member("status", as: JSONSchema.words("running", "historical")) { $0.isRunning ? "running" : "historical" }
        it.constant("agent_type", "claude")
        it.member("project_path") { $0.session.projectPath ?? "" }
        it.member("started_at") { $0.session.startedAt }
        it.member("start_time") { $0.session.startedAt }
        it.member("last_active") { $0.session.lastActivityAt }
        it.member("last_updated") { $0.session.lastActivityAt }
        it.member("summary") { $0.session.title ?? "" }
        it.member("message_count") { $0.session.messageCount }
        it.member("branch") { $0.session.gitBranch ?? "" }
        it.member("viewers") { $0.presence.viewers(of: $0.session.id) }
        it.word("claude_state") { $0.session.state }
        it.word("state_source") { $0.session.stateSource }
        it.member("state_since") { $0.session.stateSince }
        it.member("machine_name") { $0.session.machineName }
        it.member("accepts_messages") { $0.session.acceptsMessages }
        it.member("model") { $0.session.currentModel }
        it.object("token_usage", TokenUsage.shape) { $0.session.tokenUsage }
        it.member("total_tokens") { $0.session.tokenUsage.shownTotal }
        it.member("total_cost") { $0.session.totalCost }
        it.word("usage_source") { $0.session.usageSource }
        it.word("usage_confidence") { $0.session.usageConfidence }
        it.object("stuck", Session.Loop.shape) { $0.session.loop }
        it.object("completeness", Completeness.shape) { $0.session.completeness }
    }

    /// Adds the data that a returning client needs.
    static let state = ObjectShape<SessionView>("SessionState", extending: shape, { $0 }) { it in
        it.member("claude_session_id") { $0.session.id }
        it.member("is_running") { $0.isRunning }
        it.member("waiting_for_input") { $0.isRunning && $0.session.state == .waiting }
        it.member("pending_tool_use_id") { $0.session.waitingFor?.toolUseID }
        it.member("pending_tool_name") { $0.session.waitingFor?.toolName }
        it.member("permission_mode") { $0.session.permissionMode }
        it.member("last_seq") { $0.session.lastSeq }
        it.member("error") { $0.session.state == .error ? "the last turn ended with an error" : nil }
    }
}

extension CdevQuery {
    func view(_ session: Session, now: Timestamp) -> SessionView {
        SessionView(session: session, now: now, presence: context.presence, dialect: dialect)
    }

    func session(_ id: String) async throws(RPCError) -> Session {
        guard let session = try await services.sessions.session(id: id) else { throw .sessionNotFound(id) }
        return session
    }

    func workspace(_ id: String) async throws(RPCError) -> WorkspaceRecord {
        guard let workspace = try await services.workspaces.workspace(id: id) else { throw .workspaceNotFound(id) }
        return workspace
    }

    /// The most recently active sessions first, at most 200.
    func runningSessions(in workspaceID: String? = nil, now: Timestamp) async throws(RPCError) -> [Session] {
        var query = SessionQuery(now: now, limit: 200)
        query.isRunning = true
        query.workspaceID = workspaceID
        let atWork = try await services.sessions.sessions(query).sessions
        guard dialect == .cdev else { return atWork }
        (query.isRunning, query.status) = (false, .idle)
        let known = Set(atWork.map(\.id))
        let quiet = try await services.sessions.sessions(query).sessions.filter { !known.contains($0.id) }
        let running = (atWork + quiet).filter { view($0, now: now).isRunning }
        return Array(running.sorted { $0.lastActivityAt > $1.lastActivityAt }.prefix(200))
    }
}

extension Session {
    /// Whether messages can be sent to the session. It counts for a day after the session's last activity, because a
    /// machine that was taken away never says that its sessions have ended.
    func isInReach(now: Timestamp) -> Bool {
        endedAt == nil && acceptsMessages == true
            && now.seconds(since: lastActivityAt) < Session.longestWaitSeconds
    }
}

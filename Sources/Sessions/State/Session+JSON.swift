package import EventModel
package import JSON

extension Session {
    /// A session in the REST API: the monitor's names, and in addition those of OpenAI-style clients (`session_id`,
    /// `project_id`, `name`, `model`, `created_at`, `updated_at`, `last_activity`, `is_active`, `total_tokens`).
    package static let shape = ObjectShape<(session: Session, now: Timestamp)>("Session") { it in
        it.member("id") { $0.session.id }
        it.member("session_id") { $0.session.id }
        it.word("kind") { $0.session.kind }
        it.member("name") { $0.session.name }
        it.member("machine_id") { $0.session.reportedMachineName ?? $0.session.machineName }
        it.member("machine_name") { $0.session.machineName }
        it.member("workspace_id") { $0.session.workspaceID }
        it.member("project_id") { $0.session.workspaceID }
        it.member("project_path") { $0.session.projectPath }
        it.word("status") { $0.session.status(now: $0.now) }
        it.word("state") { $0.session.state }
        it.word("state_source") { $0.session.stateSource }
        it.member("state_since") { $0.session.stateSince }
        it.object("waiting_for", WaitingFor.shape) { $0.session.waitingFor }
        it.object("background", Background.shape) { $0.session.background }
        it.object("stuck", Loop.shape) { $0.session.loop }
        it.member("started_at") { $0.session.startedAt }
        it.member("created_at") { $0.session.startedAt }
        it.member("last_activity_at") { $0.session.lastActivityAt }
        it.member("updated_at") { $0.session.lastActivityAt }
        it.member("last_activity") { $0.session.lastActivityAt }
        it.member("ended_at") { $0.session.endedAt }
        it.member("end_reason") { $0.session.endReason }
        it.member("is_active") { $0.session.status(now: $0.now) == .active }
        it.member("message_count") { $0.session.messageCount }
        it.member("tool_call_count") { $0.session.toolCallCount }
        it.object("token_usage", TokenUsage.shape) { $0.session.tokenUsage }
        it.member("total_tokens") { $0.session.tokenUsage.shownTotal }
        it.member("total_cost") { $0.session.totalCost }
        it.object("usage") { it in
            it.member("input_tokens") { $0.session.tokenUsage.input }
            it.member("output_tokens") { $0.session.tokenUsage.output }
            it.member("total_tokens") { $0.session.tokenUsage.shownTotal }
            it.member("total_cost") { $0.session.totalCost ?? 0 }
        }
        it.word("usage_source") { $0.session.usageSource }
        it.word("usage_confidence") { $0.session.usageConfidence }
        it.member("usage_difference") { $0.session.usageDifference }
        it.object("unpriced", UnpricedUsage.shape) { $0.session.unpriced }
        it.object("completeness", Completeness.shape) { $0.session.completeness }
        it.member("git_branch") { $0.session.gitBranch }
        it.member("current_model") { $0.session.currentModel }
        it.member("model") { $0.session.currentModel }
        it.member("permission_mode") { $0.session.permissionMode }
        it.member("accepts_messages") { $0.session.acceptsMessages }
        it.word("runner") { $0.session.runner }
        it.member("continues") { $0.session.continues }
        it.member("continued_by") { $0.session.continuedBy }
        it.member("parked", as: JSONSchema.flag) { $0.session.isParked ? true : nil }
        it.member("title") { $0.session.title }
        it.word("title_source") { $0.session.titleSource }
        it.member("pinned") { $0.session.isPinned }
        it.member("archived") { $0.session.isArchived }
        it.member("last_seq") { $0.session.lastSeq }
    }

    /// The session as one row of a list.
    package static let row = shape.only([
        "id", "title", "title_source", "machine_id", "machine_name", "project_id", "project_path", "status", "state",
        "state_since", "waiting_for", "background", "stuck", "started_at", "last_activity_at", "ended_at", "end_reason",
        "message_count", "tool_call_count", "total_tokens", "total_cost", "usage_confidence", "unpriced",
        "completeness", "git_branch", "model", "permission_mode", "accepts_messages", "runner", "parked", "pinned",
        "archived", "last_seq",
    ])

    /// The title, or else the id.
    private var name: String { title ?? id }
}

extension Session.Background {
    package static let shape = ObjectShape<Session.Background>("BackgroundAgents") { it in
        it.member("agents") { $0.agents }
        it.member("since") { $0.since }
    }
}

extension Session.Loop {
    package static let shape = ObjectShape<Session.Loop>("StuckLoop") { it in
        it.member("tool_name") { $0.toolName }
        it.member("agent_id") { $0.agentID }
        it.member("count") { $0.count }
        it.member("since") { $0.since }
    }
}

extension Session.WaitingFor {
    static let shape = ObjectShape<Session.WaitingFor> { it in
        it.member("kind") { $0.kind.rawValue }
        it.member("tool_name") { $0.toolName }
        it.member("tool_use_id") { $0.toolUseID }
        it.member("since") { $0.since }
    }
}

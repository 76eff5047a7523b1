import RPC

/// Parameters that several methods take.
extension RPCParameter {
    /// If no other id can be meant, `id` is accepted too.
    static let workspaceID = text("workspace_id", "The workspace.").also("id", "workspaceId").required
    static let sessionID = text("session_id", "The session.").also("sessionId", "id").required

    static let placeWorkspaceID = text("workspace_id", "The workspace.").also("workspaceId").required
    static let placeSessionID = text("session_id", "The session.").also("sessionId").required

    static let anyWorkspaceID = text("workspace_id", "Only of this workspace.")
    static let anySessionID = text("session_id", "Only of this session.")
    static let agentType = text("agent_type", "'claude' or 'all'. Other agents have no sessions.")
    static let permissionMode = text("permission_mode", "What the agent may do without asking.")
    static let offset = integer("offset", 0...Int64(Int32.max), "Number to skip.")
    static let dialect = choice("dialect", Dialect.allCases.map(\.rawValue), "The event format.")

    static let since = object(
        "since",
        [
            integer("seq", 0...Int64.max, "The last position seen.").required,
            text("epoch", "The log's epoch; by default the current one."),
        ],
        "Resume after this position."
    )
    static let types = texts("types", 1...64, "Only events of these types.")
}

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
    static let agentType = text("agent_type", "'claude' or 'all'; of another agent there is nothing.")
    static let permissionMode = text("permission_mode", "What the agent may do without asking.")
    static let offset = integer("offset", 0...Int64(Int32.max), "How many to pass over.")
    static let dialect = choice("dialect", Dialect.allCases.map(\.rawValue), "The words in which events come.")

    static let since = object(
        "since",
        [
            integer("seq", 0...Int64.max, "The last one seen.").required,
            text("epoch", "The log that it belongs to; the present one where it is missing."),
        ],
        "Go on behind this place."
    )
    static let types = texts("types", 1...64, "Only events of these types.")
}

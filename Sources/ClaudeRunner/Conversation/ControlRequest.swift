package import JSON

/// A request to the client. There are no others: what a device or a server asks for can only become one of these.
package enum ControlRequest: Sendable, Equatable {
    /// - Parameter isAppended: whether the prompt follows the client's own, or replaces it.
    case initialize(systemPrompt: String?, isAppended: Bool = false)
    /// - Parameter servers: the names of MCP servers that the client reaches by control requests.
    case initializeChat(systemPrompt: String, servers: [String], schema: JSONValue?)
    case interrupt(cancelQueued: Bool)
    case cancelMessage(String)
    case setMode(String)
    /// nil: the client's default.
    case setModel(String?)
    /// nil: the client's default.
    case setMaxThinkingTokens(Int64?)
    case rename(String)
    case contextUsage
    case usage
    case plan
    case models
    case mcpStatus
    case setMCPServers(JSONValue)
    /// Asks for permission as a call of the model does. Only for clients that do so: see `callsTools` of the
    /// conversation.
    case callMCPTool(name: String, arguments: JSONValue)
    case rewindFiles(userMessageID: String, dryRun: Bool)
    case rewindConversation(messageID: String)
    case stopTask(String)
    case endSession
    /// Rules such as `Edit(//home/me/.claude.json)` that are denied from now on.
    case setDenyRules([String])

    var subtype: String {
        switch self {
        case .initialize, .initializeChat: "initialize"
        case .interrupt: "interrupt"
        case .cancelMessage: "cancel_async_message"
        case .setMode: "set_permission_mode"
        case .setModel: "set_model"
        case .setMaxThinkingTokens: "set_max_thinking_tokens"
        case .rename: "rename_session"
        case .contextUsage: "get_context_usage"
        case .usage: "get_usage"
        case .plan: "get_plan"
        case .models: "list_models"
        case .mcpStatus: "mcp_status"
        case .setMCPServers: "mcp_set_servers"
        case .callMCPTool: "mcp_call"
        case .rewindFiles: "rewind_files"
        case .rewindConversation: "rewind_conversation"
        case .stopTask: "stop_task"
        case .endSession: "end_session"
        case .setDenyRules: "apply_flag_settings"
        }
    }

    private var fields: [(String, JSONValue)] {
        switch self {
        case .initialize(let prompt?, isAppended: true): [("appendSystemPrompt", .string(prompt))]
        case .initialize(let prompt?, isAppended: false): [("systemPrompt", .array([.string(prompt)]))]
        case .initialize(nil, _): []
        case .initializeChat(let systemPrompt, let servers, let schema):
            [("systemPrompt", .array([.string(systemPrompt)]))]
                + (servers.isEmpty ? [] : [("sdkMcpServers", .array(servers.map(JSONValue.string)))])
                + (schema.map { [("jsonSchema", $0)] } ?? [])
        case .interrupt(let cancelQueued): cancelQueued ? [("cancel_queued", .bool(true))] : []
        case .cancelMessage(let id): [("message_uuid", .string(id))]
        case .setMode(let mode): [("mode", .string(mode))]
        case .setModel(let model): [("model", model.map(JSONValue.string) ?? .null)]
        case .setMaxThinkingTokens(let count): [("max_thinking_tokens", count.map(JSONValue.integer) ?? .null)]
        case .rename(let title): [("title", .string(title))]
        case .setMCPServers(let servers): [("servers", servers)]
        case .callMCPTool(let name, let arguments):
            // With `timeout_ms` the client would answer refusals and errors as a success without a result.
            [
                ("tool", .string(name)), ("arguments", arguments), ("check_permissions", .bool(true)),
                ("result_not_for_model", .bool(true)), ("soft_error_result", .bool(true)),
            ]
        case .rewindFiles(let id, let dryRun): [("user_message_id", .string(id)), ("dry_run", .bool(dryRun))]
        case .rewindConversation(let id): [("target_message_uuid", .string(id))]
        case .stopTask(let id): [("task_id", .string(id))]
        case .setDenyRules(let rules): [("settings", ClaudeStart.settings(denying: rules))]
        case .contextUsage, .usage, .plan, .models, .mcpStatus, .endSession: []
        }
    }

    /// The line for the client, without its end.
    func line(id: String) -> JSONValue {
        .object([
            ("type", .string("control_request")), ("request_id", .string(id)),
            ("request", .object([("subtype", .string(subtype))] + fields)),
        ])
    }
}

/// The client's answer to a request.
package enum ControlReply: Sendable, Equatable {
    case success(JSONValue)
    case failure(String)
    /// The client did not call the tool, as its own frames show. The words of a failure prove that of no tool: an MCP
    /// server can write them.
    case denied(String)
    /// The request was taken back.
    case noReply
    /// The client ended first.
    case notRunning
}

internal import ClaudeRunner
internal import JSON

/// A prompt in the form in which hooks report one.
enum PromptEnvelope {
    /// The object of a PermissionRequest or Elicitation hook.
    static func hook(_ prompt: OpenPrompt, session: String, directory: String, mode: String) -> JSONValue {
        var members: [(String, JSONValue)] = [
            ("session_id", .string(session)), ("cwd", .string(directory)), ("permission_mode", .string(mode)),
            ("runner", .string("agent")),
        ]
        func pass(_ name: String, as other: String? = nil) {
            if let value = prompt.request[name], value != .null { members.append((other ?? name, value)) }
        }
        if prompt.isElicitation {
            members.append(("hook_event_name", .string("Elicitation")))
            for name in ["mcp_server_name", "message", "mode", "requested_schema", "url", "elicitation_id"] {
                pass(name)
            }
            return .object(members)
        }
        members.append(("hook_event_name", .string("PermissionRequest")))
        members.append(("tool_name", .string(prompt.toolName)))
        members.append(("tool_input", prompt.request["input"] ?? .object([])))
        pass("permission_suggestions")
        pass("agent_id")
        if let id = prompt.toolUseID { members.append(("tool_use_id", .string(id))) }
        return .object(members)
    }

    static func event(_ hook: JSONValue, id: String, at time: String) -> JSONValue {
        .object([("event_id", .string(id)), ("timestamp", .string(time)), ("data", hook)])
    }
}

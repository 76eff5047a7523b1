internal import JSON

/// What the members of a hook's object are to the content policy.
enum PayloadMember {
    /// Small members that say which event this is. They are kept whatever else has to go.
    static let identifiers: [StaticString] = [
        "hook_event_name", "session_id", "tool_name", "tool_use_id", "prompt_id", "agent_id", "agent_type",
        "permission_mode", "transcript_path", "cwd", "source", "reason", "trigger", "notification_type", "task_id",
        "message_id", "turn_id", "elicitation_id",
    ]

    /// Members that hold what people, models and tools wrote.
    private static let content: [StaticString] = [
        "prompt", "tool_input", "tool_response", "tool_calls", "tool_output", "message", "messages", "content", "title",
        "session_title", "last_assistant_message", "error_details", "delta", "compact_summary", "custom_instructions",
        "command_args", "permission_suggestions", "task_subject", "task_description", "background_tasks",
        "session_crons", "requested_schema", "text", "output", "stdout", "stderr", "diff",
    ]

    enum Role { case identifier, content }

    /// By the length of the name.
    private static let roles: [[(name: StaticString, role: Role)]] = {
        let all = identifiers.map { ($0, Role.identifier) } + content.map { ($0, Role.content) }
        let longest = all.map { $0.0.utf8CodeUnitCount }.max() ?? 0
        return (0...longest).map { length in all.filter { $0.0.utf8CodeUnitCount == length } }
    }()

    static func role(of name: JSONElement) -> Role? {
        let roles = roles
        guard let length = name.utf8Count, length < roles.count else { return nil }
        for (other, role) in roles[length] where name.equals(other) { return role }
        return nil
    }

    static func isIdentifier(_ name: JSONElement) -> Bool { role(of: name) == .identifier }
}

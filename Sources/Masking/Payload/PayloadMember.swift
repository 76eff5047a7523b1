internal import JSON

/// How the content policy classifies the members of a hook's object.
enum PayloadMember {
    /// Small members that identify the event. They are always kept.
    static let identifiers: [StaticString] = [
        "hook_event_name", "session_id", "tool_name", "tool_use_id", "prompt_id", "agent_id", "agent_type",
        "permission_mode", "transcript_path", "cwd", "source", "reason", "trigger", "notification_type", "task_id",
        "message_id", "turn_id", "elicitation_id",
    ]

    /// Members that hold text written by people, models and tools.
    private static let content: [StaticString] = [
        "prompt", "tool_input", "tool_response", "tool_calls", "tool_output", "message", "messages", "content", "title",
        "session_title", "last_assistant_message", "error_details", "delta", "compact_summary", "custom_instructions",
        "command_args", "permission_suggestions", "task_subject", "task_description", "background_tasks",
        "session_crons", "requested_schema", "text", "output", "stdout", "stderr", "diff",
    ]

    enum Role { case identifier, content }

    /// Indexed by the length of the name.
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

internal import JSON

/// What the members of a hook's object are to the content policy.
enum PayloadMember {
    /// Small members that say which event this is. They are kept whatever else has to go.
    private static let identifiers: [StaticString] = [
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

    static func isIdentifier(_ name: JSONElement) -> Bool { identifiers.contains { name.equals($0) } }
    static func isContent(_ name: JSONElement) -> Bool { content.contains { name.equals($0) } }
}

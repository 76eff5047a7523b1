/// Classifies the log records of Claude Code by their `event.name`.
enum TelemetryName {
    /// Records about hooks, plugins and settings, and raw bodies. They are frequent, contain nothing about a session,
    /// or repeat the content of hooks and transcripts. They are counted but not stored.
    static let dropped: Set<String> = [
        "hook_registered", "hook_execution_start", "hook_execution_complete", "hook_plugin_metrics", "plugin_loaded",
        "managed_settings_resolved", "feedback_survey", "retention_sweep", "api_request_body", "api_response_body",
    ]

    /// Records that a session sends only while it is working.
    static let activities: Set<String> = [
        "user_prompt", "assistant_response", "api_request", "api_error", "api_retries_exhausted", "api_refusal",
        "tool_decision", "tool_result", "compaction", "subagent_completed", "permission_mode_changed",
    ]

    /// Attributes that contain text of people, models and tools.
    static let content: Set<String> = [
        "prompt", "prompt_text", "response", "tool_input", "tool_parameters", "tool_output", "body", "full_command",
        "bash_command",
    ]

    /// Attributes that identify a person or an account. They are the same in every record and are not stored.
    static let personal: Set<String> = [
        "user.id", "user.email", "user.account_uuid", "user.account_id", "organization.id",
    ]
}

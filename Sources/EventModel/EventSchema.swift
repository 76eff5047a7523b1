public import JSON

extension JSONSchema {
    /// The schema of what `CommittedEvent.write` writes.
    public static let event = object([
        "event": text, "type": text, "seq": count, "epoch": text, "event_id": text, "timestamp": time,
        "received_at": time, "session_id?": text, "workspace_id?": text, "machine_id": text, "machine_name": text,
        "agent_type": words("claude"), "hook_event_name?": text, "tool_name?": text, "summary": text,
        "payload_truncated?": flag, "payload": any,
    ])
}

internal import JSON
internal import Sessions

extension JSONSchema {
    static let sessions: [(SchemaName, String)] = [
        (
            "TokenUsage",
            object([
                "input_tokens": count, "output_tokens": count, "cache_read_tokens": count,
                "cache_creation_tokens": count,
            ])
        ),
        (
            "Session",
            object([
                "id": text, "session_id": text, "name": text, "machine_id": text, "machine_name": text,
                "workspace_id?": text, "project_id?": text,
                "project_path?": text, "status": words("active", "idle", "ended"),
                "state": words("running", "waiting", "idle", "error"),
                "waiting_for?": object(["kind": text, "tool_name?": text, "tool_use_id": text, "since": time]),
                "started_at": time, "created_at": time, "last_activity_at": time, "last_activity": time,
                "updated_at": time,
                "ended_at?": time, "end_reason?": text, "is_active": flag, "message_count": count,
                "tool_call_count": count, "token_usage": one("TokenUsage"), "total_tokens": count,
                "total_cost?": number, "current_model?": text, "model?": text, "permission_mode?": text,
                "title?": text, "last_seq": count,
            ])
        ),
        ("SessionPage", page("sessions", "Session")),
        (
            "Prompt",
            object([
                "id": text, "kind": words("permission", "question", "plan", "elicitation", "input"),
                "state": words("open", "answered", "overtaken", "expired", "gone"), "session_id": text,
                "machine_id": text, "machine_name": text, "workspace_id?": text, "agent_id": textOrNull,
                "tool_name?": text, "tool_use_id": text, "title": text, "detail": text, "question?": text,
                "opened_at": time, "closed_at?": time, "answerable": flag,
                "answer?": object([
                    "decision?": words("allow", "deny"),
                    "by": object(["kind": words("terminal", "rule", "device", "timeout", "operator")]), "at": time,
                ]),
                "life": array(object(["step": text, "at": time, "evidence?": text])),
            ])
        ),
        ("PromptPage", page("prompts", "Prompt")),
        (
            "SessionStatistics",
            object([
                "session_stats": object([
                    "active_sessions": count, "idle_sessions": count, "ended_sessions": count,
                    "waiting_sessions": count, "total_sessions": count, "total_messages": count,
                    "total_tool_calls": count, "total_tokens": count, "total_cost": number, "models_in_use": texts,
                ]),
                "active_claude_sessions": count, "active_sessions": count, "total_messages": count,
                "total_tokens": count, "total_cost": number,
            ])
        ),
        (
            "Message",
            object([
                "id": text, "session_id": text, "role": words("user", "assistant", "system"), "content": text,
                "timestamp": time, "created_at": time, "seq": count,
            ])
        ),
        (
            "MessagePage",
            all(of: page("messages", "Message"), one("LogPage"), object(["session_id": text]))
        ),
        (
            "UsageRow",
            object([
                "key": textOrNull, "name?": text, "events?": count, "prompts?": count, "tool_calls?": count,
                "tool_failures?": count, "sessions?": count, "messages?": count, "token_usage?": one("TokenUsage"),
                "total_tokens?": count, "total_cost?": number,
            ])
        ),
        (
            "Usage",
            object([
                "object": words("list"), "by": words("day", "machine", "project", "model", "tool"), "from": date,
                "to": date, "data": list("UsageRow"),
            ])
        ),
    ]

    /// Not of spaces alone.
    private static let title = #"{"type":"string","maxLength":200,"pattern":"\\S"}"#

    static let projects: [(SchemaName, String)] = [
        (
            "Project",
            object([
                "id": text, "name": text, "description?": text, "path": textOrNull, "machine_id?": text,
                "machine_name?": text, "created_at": time, "updated_at": time, "is_active": flag,
                "session_count": count, "active_session_count": count, "settings?": any,
            ])
        ),
        ("ProjectPage", page("projects", "Project")),
        (
            "NewProject",
            object([
                "name": title, "description?": nullable(bounded(4000)), "path?": nullable(bounded(4000)),
                "machine_id?": nullable(bounded(200)), "settings?": nullable(any),
            ])
        ),
        (
            "ProjectChange",
            object([
                "name?": title, "description?": nullable(bounded(4000)), "settings?": nullable(any),
                // A project's directory makes its id.
                "path?": "false", "machine_id?": "false",
            ])
        ),
        ("DeletedProject", object(["project_id": text, "status": words("deleted")])),
    ]

    static let models: [(SchemaName, String)] = [
        (
            "Model",
            object([
                "id": text, "object": words("model"), "created": count, "owned_by": text, "permission": texts,
                "root": text, "parent": #"{"type":"null"}"#, "context_window": count,
            ])
        ),
        ("ModelPage", page("data", "Model")),
        (
            "TokenRates",
            object([
                "input": number, "output": number, "cache_read": number, "cache_write_5m": number,
                "cache_write_1h": number,
            ])
        ),
        (
            "TokenPrice",
            all(
                of: one("TokenRates"),
                object(["long_prompt?": all(of: one("TokenRates"), object(["above_tokens": count]))])
            )
        ),
        (
            "Price",
            all(
                of: one("TokenPrice"),
                object([
                    "currency": words("USD"), "per_tokens": count, "effective_from": dateOrNull,
                    "per_million": one("TokenPrice"),
                ])
            )
        ),
        (
            "ModelCapabilities",
            object([
                "id": text, "name": text, "description": text, "aliases": texts, "max_tokens": count,
                "max_output_tokens?": count, "supports_streaming": flag, "supports_tools": flag,
                "pricing": one("Price"), "price_history": list("Price"),
            ])
        ),
        (
            "ModelDetail",
            all(of: one("Model"), all(of: one("ModelCapabilities"), object(["training_data": textOrNull])))
        ),
        (
            "ModelCapabilityPage",
            all(
                of: page("models", "ModelCapabilities"),
                object(["total": count, "provider": text, "adapter": text, "price_source": text])
            )
        ),
    ]

    static let keys: [(SchemaName, String)] = [
        (
            "Key",
            object([
                "id": text, "name": text, "machine_id": text, "prefix": text, "created_at": time,
                "last_used_at?": time, "revoked_at?": time,
            ])
        ),
        ("KeyPage", page("keys", "Key")),
        (
            "NewKey",
            object([
                "name": #"{"type":"string","minLength":1,"maxLength":200,"#
                    + #""pattern":"^(?![+-]?[0-9]+$)[^\\u0000-\\u001f\\u007f-\\u009f]*$"}"#
            ])
        ),
        ("CreatedKey", #"{"allOf":[\#(one("Key")),\#(object(["key": text]))]}"#),
        ("RevokedKeys", object(["id": text, "revoked": flag, "count": count])),
    ]

    /// - Parameter member: what the elements are called beside `data`, or that.
    static func page(_ member: String, _ name: SchemaName) -> String {
        let elements =
            member == "data" ? object(["data": list(name)]) : object(["\(member)": list(name), "data": list(name)])
        return all(of: one("Page"), elements)
    }
}

import JSON

extension JSONSchema {
    static let messages: [(SchemaName, String)] = [
        (
            "RPCMessage",
            object([
                "id": count, "session_id": text, "type": words("user", "assistant"), "uuid": text, "timestamp": time,
                "git_branch": text,
                "message": object([
                    "role": words("user", "assistant"),
                    "content": #"{"anyOf":[\#(text),\#(list("ContentBlock"))]}"#,
                ]),
                "is_context_compaction": flag, "is_meta": flag,
            ])
        ),
        (
            "ContentBlock",
            either([
                object(["type": words("text"), "text": text]),
                object([
                    "type": words("tool_use"), "id": text, "name": text, "input": any, "tool_name": text,
                    "tool_id": text, "tool_input": any,
                ]),
                object(["type": words("tool_result"), "tool_use_id": text, "content": text, "is_error": flag]),
            ])
        ),
        (
            "Messages",
            object([
                "session_id": text, "messages": list("RPCMessage"), "total": count, "limit": count, "offset": count,
                "has_more": flag, "query_time_ms": number,
            ])
        ),
        (
            "Element",
            object([
                "id": text, "type": words("user_input", "assistant_text", "tool_call", "tool_result"),
                "timestamp": time,
                "content": either([
                    object(["text": text]),
                    object([
                        "tool": text, "tool_id": text, "display": text,
                        "params": #"{"type":"object","additionalProperties":\#(text)}"#,
                        "status": words("running", "completed", "error"),
                    ]),
                    object([
                        "tool_call_id": text, "tool_name": text, "is_error": flag, "summary": text,
                        "full_content": text, "line_count": count, "expandable": flag, "truncated": flag,
                    ]),
                ]),
            ])
        ),
        (
            "Elements",
            object([
                "session_id": text, "elements": list("Element"), "has_more": flag,
                "pagination": object([
                    "total": count, "returned": count, "has_more_before": flag, "has_more_after": flag,
                    "oldest_id": text, "newest_id": text,
                ]),
            ])
        ),
    ]
}

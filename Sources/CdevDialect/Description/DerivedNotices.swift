import JSON
import RPC

/// The notifications that are derived from the events of sessions, as documents describe them.
enum DerivedNotices {
    private typealias Row = (name: String, summary: String, payload: String)

    static let all = rows.map { row in
        OpenRPCDocument.Notification("event/\(row.name)", row.summary, schemaName(of: row))
    }

    static let schemas: [(SchemaName, String)] = rows.map { (schemaName(of: $0), schema(of: $0)) }

    /// Outside the dialect an event of the log has the name.
    private static let namesOfEvents: Set<String> = ["session_start", "session_end"]

    private static func schema(of row: Row) -> String {
        let event: SchemaName = "Event"
        return namesOfEvents.contains(row.name) ? JSONSchema.either([notice(row), event.reference]) : notice(row)
    }

    /// `ClaudeMessage` for `claude_message`.
    private static func schemaName(of row: Row) -> SchemaName {
        let words = row.name.split(separator: "_")
        return SchemaName(stringLiteral: words.map { $0.prefix(1).uppercased() + $0.dropFirst() }.joined())
    }

    private static func notice(_ row: Row) -> String {
        JSONSchema.object([
            "event": JSONSchema.words(row.name), "seq": JSONSchema.count, "epoch": JSONSchema.text,
            "more?": JSONSchema.flag, "timestamp": JSONSchema.time, "workspace_id": JSONSchema.text,
            "session_id": JSONSchema.text, "agent_type": JSONSchema.words("claude"),
            "payload_truncated?": JSONSchema.flag,
            "payload": JSONSchema.either([row.payload, #"{"type":"object","maxProperties":0}"#]),
        ])
    }

    private static let rows: [Row] = [
        ("claude_message", "A message of a conversation, or a part of one.", message),
        ("claude_log", "A line of a session's transcript, as far as it is stored.", log),
        ("claude_status", "What a session does has changed.", status),
        ("claude_waiting", "A session asks a question.", waiting),
        ("claude_permission", "A session asks for permission.", permission),
        ("claude_session_info", "A session begins, or goes on after a compaction.", info),
        ("session_start", "In place of the event of that type.", started),
        ("session_end", "In place of the event of that type.", JSONSchema.object(["reason": JSONSchema.text])),
        ("pty_permission", "As claude_permission, with the answers to choose from.", dialog),
        ("pty_permission_resolved", "Nobody has to answer such a request any more.", resolved),
    ]

    private static let message = JSONSchema.object([
        "type": JSONSchema.words("user", "assistant"), "role": JSONSchema.words("user", "assistant"),
        "uuid": JSONSchema.text, "timestamp": JSONSchema.time, "content": JSONSchema.array(block),
        "model?": JSONSchema.text, "stop_reason?": JSONSchema.text, "is_context_compaction": JSONSchema.flag,
        "is_meta": JSONSchema.flag,
    ])

    private static let block = JSONSchema.either([
        JSONSchema.object(["type": JSONSchema.words("text"), "text": JSONSchema.text]),
        JSONSchema.object([
            "type": JSONSchema.words("thinking"), "thinking": JSONSchema.text, "text": JSONSchema.text,
        ]),
        JSONSchema.object([
            "type": JSONSchema.words("tool_use"), "id": JSONSchema.text, "name": JSONSchema.text,
            "input": JSONSchema.any, "tool_id": JSONSchema.text, "tool_name": JSONSchema.text,
            "tool_input": JSONSchema.any,
        ]),
        JSONSchema.object([
            "type": JSONSchema.words("tool_result"), "tool_use_id": JSONSchema.text, "content": JSONSchema.text,
            "is_error": JSONSchema.flag,
        ]),
    ])

    private static let log = JSONSchema.object([
        "type?": JSONSchema.text, "uuid?": JSONSchema.text, "timestamp?": JSONSchema.text, "message?": JSONSchema.any,
    ])

    private static let status = JSONSchema.object([
        "state": JSONSchema.words("running", "waiting", "idle", "error", "stopped"), "prompt?": JSONSchema.text,
        "error?": JSONSchema.text,
    ])

    private static let waiting = JSONSchema.object([
        "tool_use_id": JSONSchema.text, "request_id": JSONSchema.text, "tool_name?": JSONSchema.text,
        "input": JSONSchema.text, "question?": JSONSchema.text, "description?": JSONSchema.text,
        "kind?": JSONSchema.text,
        "options?": JSONSchema.array(
            JSONSchema.object(["label": JSONSchema.text, "description?": JSONSchema.text])
        ),
    ])

    private static let permission = JSONSchema.object([
        "tool_use_id": JSONSchema.text, "request_id": JSONSchema.text, "tool_name": JSONSchema.text,
        "tool": JSONSchema.text, "input": JSONSchema.text, "description": JSONSchema.text,
        "complete": JSONSchema.flag,
    ])

    private static let info = JSONSchema.object([
        "session_id": JSONSchema.text, "model?": JSONSchema.text, "version?": JSONSchema.text,
    ])

    private static let started = JSONSchema.object([
        "source?": JSONSchema.text, "model?": JSONSchema.text, "repo_path?": JSONSchema.text,
        "repo_name?": JSONSchema.text,
    ])

    private static let dialog = JSONSchema.object([
        "tool_use_id": JSONSchema.text,
        "type": JSONSchema.words("bash_command", "write_file", "edit_file", "mcp_tool", "unknown"),
        "target": JSONSchema.text, "description": JSONSchema.text, "preview": JSONSchema.text,
        "complete": JSONSchema.flag, "session_id?": JSONSchema.text,
        "options": JSONSchema.array(
            JSONSchema.object([
                "key": JSONSchema.words("allow_once", "allow_session", "deny"), "label": JSONSchema.text,
                "description": JSONSchema.text, "selected": JSONSchema.flag,
            ])
        ),
    ])

    private static let resolved = JSONSchema.object([
        "tool_use_id": JSONSchema.text, "session_id": JSONSchema.text,
        "resolved_by": JSONSchema.words("terminal", "device", "operator"),
        "decision?": JSONSchema.words("allow", "deny"),
    ])
}

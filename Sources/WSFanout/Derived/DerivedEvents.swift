import EventModel
import JSON

/// One of cdev's events, made from a hook event.
struct DerivedEvent: Equatable {
    var name: String
    /// One JSON object. `session_id` stays out of it: the client tells payloads apart by their members, and takes what
    /// has one for `claude_session_info`.
    var payload: [UInt8]

    init(_ name: String, _ fields: (inout JSONWriter) -> Void) {
        self.name = name
        var writer = JSONWriter()
        writer.beginObject()
        fields(&writer)
        writer.endObject()
        payload = writer.bytes
    }
}

/// A hook event in cdev's words. Told from what is stored alone, so that a replay gives the same as the live stream.
enum DerivedEvents {
    /// In the order in which they are sent. One that has the name of the event's own type stands in its place.
    static func of(_ event: MonitorEvent) -> [DerivedEvent] {
        guard let hook = event.hookEventName?.known else { return [] }
        let payload = event.payloadValue
        switch hook {
        case .permissionRequest: return PermissionNotices.of(event, payload)
        case .fileChanged: return fileChanged(payload)
        case _ where payload["agent_id"]?.string != nil: return []
        case .sessionStart: return sessionStart(event, payload)
        case .sessionEnd: return sessionEnd(payload)
        case .userPromptSubmit:
            return messages(event, payload) + [status("running") { $0.field("prompt", event.summary) }]
        case .preToolUse: return messages(event, payload) + question(event, payload)
        case .postToolUse, .postToolUseFailure: return messages(event, payload)
        case .stop: return messages(event, payload) + [status("idle")]
        case .stopFailure: return [status("error") { $0.field("error", payload["error"]?.string ?? "error") }]
        case .notification, .elicitation: return waiting(event, payload)
        default: return []
        }
    }

    private static func messages(_ event: MonitorEvent, _ payload: JSONValue) -> [DerivedEvent] {
        guard let message = ClaudeMessage(event, payload: payload), !message.blocks.isEmpty else { return [] }
        return [
            DerivedEvent("claude_message") { writer in
                writer.field("type", message.role.rawValue)
                writer.field("role", message.role.rawValue)
                writer.field("uuid", event.id.description)
                writer.field("timestamp", event.timestamp.description)
                message.writeBlocks(to: &writer)
                if event.hookEventName?.known == .stop { writer.field("stop_reason", "end_turn") }
                writer.field("is_context_compaction", false)
                writer.field("is_meta", message.isMeta)
            }
        ]
    }

    private static func status(
        _ state: String,
        _ more: (inout JSONWriter) -> Void = { _ in }
    ) -> DerivedEvent {
        DerivedEvent("claude_status") { writer in
            writer.field("state", state)
            more(&writer)
        }
    }

    private static func sessionStart(_ event: MonitorEvent, _ payload: JSONValue) -> [DerivedEvent] {
        let info = DerivedEvent("claude_session_info") { writer in
            writer.field("session_id", event.sessionID ?? "")
            writer.field("model", payload["model"]?.string)
            writer.field("version", payload["version"]?.string)
        }
        let started = DerivedEvent("session_start") { writer in
            writer.field("source", payload["source"]?.string)
            writer.field("model", payload["model"]?.string)
            writer.field("repo_path", event.projectPath)
            writer.field("repo_name", event.projectPath?.split(separator: "/").last.map(String.init))
        }
        // Compaction restarts the session in the middle of a turn.
        return payload["source"]?.string == "compact" ? [info, started] : [info, status("idle"), started]
    }

    private static func sessionEnd(_ payload: JSONValue) -> [DerivedEvent] {
        let ended = DerivedEvent("session_end") { $0.field("reason", payload["reason"]?.string ?? "other") }
        return [status("stopped"), ended]
    }

    /// A question of Claude's own, or a plan to be approved.
    private static func question(_ event: MonitorEvent, _ payload: JSONValue) -> [DerivedEvent] {
        guard let tool = event.toolName, ["AskUserQuestion", "ExitPlanMode"].contains(tool) else { return [] }
        let input = payload["tool_input"] ?? .object([])
        let asked = input["questions"]?.array?.first ?? input
        let text = asked["question"]?.string ?? (tool == "ExitPlanMode" ? "Approve the plan?" : event.summary)
        let waiting = DerivedEvent("claude_waiting") { writer in
            writer.field("tool_use_id", payload["tool_use_id"]?.string ?? event.id.description)
            writer.field("request_id", payload["tool_use_id"]?.string ?? event.id.description)
            writer.field("tool_name", tool)
            writer.field("input", input.text)
            writer.field("question", text)
            writer.field("description", input["plan"]?.string)
            writer.beginArray("options")
            for option in asked["options"]?.array ?? [] {
                guard let label = option["label"]?.string ?? option.string else { continue }
                writer.beginObject()
                writer.field("label", label)
                writer.field("description", option["description"]?.string)
                writer.endObject()
            }
            writer.endArray()
        }
        return [waiting, status("waiting")]
    }

    /// A notification that asks for a person. That of a permission dialog follows its own event and says no more.
    private static func waiting(_ event: MonitorEvent, _ payload: JSONValue) -> [DerivedEvent] {
        let kind = payload["notification_type"]?.string
        let asks = ["agent_needs_input", "elicitation_dialog", "elicitation_url_dialog", "idle_prompt"]
        guard event.hookEventName?.known == .elicitation || asks.contains(kind ?? "") else { return [] }
        let waiting = DerivedEvent("claude_waiting") { writer in
            writer.field("request_id", event.id.description)
            writer.field("question", payload["message"]?.string ?? event.summary)
            writer.field("kind", kind)
        }
        return kind == "idle_prompt" ? [waiting] : [waiting, status("waiting")]
    }

    private static func fileChanged(_ payload: JSONValue) -> [DerivedEvent] {
        guard let path = payload["file_path"]?.string ?? payload["path"]?.string else { return [] }
        let changes = ["add": "created", "create": "created", "unlink": "deleted", "delete": "deleted"]
        let sent = payload["event"]?.string ?? payload["change"]?.string ?? ""
        let known = ["created", "modified", "deleted", "renamed"]
        return [
            DerivedEvent("file_changed") { writer in
                writer.field("path", path)
                writer.field("change", changes[sent] ?? (known.contains(sent) ? sent : "modified"))
            }
        ]
    }
}

import EventModel
import JSON
import Sessions
import Transcripts

/// One of cdev's events, made from a hook event.
struct DerivedEvent: Equatable {
    var name: String
    /// One JSON object without `session_id`. The client distinguishes payloads by their members, and reads an object
    /// with `session_id` as `claude_session_info`.
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

/// A hook event as cdev's events. They are derived only from stored data, so that a replay gives the same result as the
/// live stream.
enum DerivedEvents {
    /// In the order in which they are sent. A derived event with the name of the event's own type replaces the event.
    static func of(_ committed: CommittedEvent, _ context: EventContext) -> [DerivedEvent] {
        let ended = context.prompts.endedDialogs.map(PermissionNotices.closed)
        if let grown = context.grown { return ended + TranscriptNotices.of(grown) }
        if let change = SessionChange(committed.event) { return ended + resolved(change, committed) }
        let own = HookEvent(committed).map { self.own($0, context) } ?? []
        let tellsStatus = own.contains { $0.name == "claude_status" }
        return ended + (context.prompts.goesOn && !tellsStatus ? [status("running")] : []) + own
    }

    /// Who follows the session learns under which id it goes on after `/clear`.
    private static func resolved(_ change: SessionChange, _ committed: CommittedEvent) -> [DerivedEvent] {
        guard let next = change.continuedBy else { return [] }
        return [
            DerivedEvent("session_id_resolved") { writer in
                writer.field("temporary_id", committed.event.sessionID ?? "")
                writer.field("real_id", next)
                writer.field("workspace_id", committed.workspaceID ?? "")
                writer.field("session_file", "")
            }
        ]
    }

    private static func own(_ hook: HookEvent, _ context: EventContext) -> [DerivedEvent] {
        let event = hook.committed.event
        let news = context.prompts
        func messages(_ committed: CommittedEvent, _ payload: JSONValue) -> [DerivedEvent] {
            context.isRepeated ? [] : self.messages(committed, payload)
        }
        switch hook.name {
        case .permissionRequest: return news.asked.map { permission($0, event, event.payloadValue) } ?? []
        case .fileChanged: return fileChanged(event.payloadValue)
        case _ where hook.agentID != nil: return []
        case .sessionStart: return sessionStart(hook)
        case .sessionEnd: return sessionEnd(hook)
        case .userPromptSubmit:
            return messages(hook.committed, event.payloadValue) + [
                status("running") { $0.field("prompt", event.summary) }
            ]
        case .preToolUse:
            let payload = event.payloadValue
            return messages(hook.committed, payload) + (news.asked.map { question($0, event, payload) } ?? [])
        case .postToolUse, .postToolUseFailure: return messages(hook.committed, event.payloadValue)
        case .stop: return messages(hook.committed, event.payloadValue) + [status("idle")]
        case .stopFailure: return [status("error") { $0.field("error", hook.detail ?? "error") }]
        case .notification, .elicitation: return news.asked.map { waiting($0, hook) } ?? []
        default: return []
        }
    }

    private static func messages(_ committed: CommittedEvent, _ payload: JSONValue) -> [DerivedEvent] {
        guard let message = ConversationMessage(committed, payload: payload), !message.blocks.isEmpty else { return [] }
        let isEnd = committed.event.hookEventName?.known == .stop
        return [TranscriptNotices.message(message, stopReason: isEnd ? "end_turn" : nil)]
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

    private static func sessionStart(_ hook: HookEvent) -> [DerivedEvent] {
        let event = hook.committed.event
        let info = DerivedEvent("claude_session_info") { writer in
            writer.field("session_id", event.sessionID ?? "")
            writer.field("model", event.facts.model)
            writer.field("version", event.payloadValue["version"]?.string)
        }
        let started = DerivedEvent("session_start") { writer in
            writer.field("source", hook.detail)
            writer.field("model", event.facts.model)
            writer.field("repo_path", event.projectPath)
            writer.field("repo_name", event.projectPath.map(DirectoryPath.lastPart))
        }
        return hook.isCompaction ? [info, started] : [info, status("idle"), started]
    }

    private static func sessionEnd(_ hook: HookEvent) -> [DerivedEvent] {
        [status("stopped"), DerivedEvent("session_end") { $0.field("reason", hook.detail ?? "other") }]
    }

    /// A question is answered with one of its options, never with a permission.
    private static func permission(_ prompt: Prompt, _ event: MonitorEvent, _ payload: JSONValue) -> [DerivedEvent] {
        prompt.kind == .question
            ? question(prompt, event, payload) : PermissionNotices.opened(prompt, event, payload)
    }

    /// A question of Claude's own, or a plan to be approved.
    private static func question(_ prompt: Prompt, _ event: MonitorEvent, _ payload: JSONValue) -> [DerivedEvent] {
        let input = payload["tool_input"] ?? .object([])
        let asked = input["questions"]?.array?.first ?? input
        let text = prompt.question ?? (prompt.kind == .plan ? "Approve the plan?" : event.summary)
        let waiting = DerivedEvent("claude_waiting") { writer in
            writer.field("tool_use_id", prompt.toolUseID)
            writer.field("request_id", prompt.toolUseID)
            writer.field("tool_name", event.toolName)
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

    /// Events for a prompt without a tool call. The notification of a permission dialog contains no more than the
    /// request itself.
    private static func waiting(_ prompt: Prompt, _ hook: HookEvent) -> [DerivedEvent] {
        guard prompt.source != .dialog else { return [] }
        let payload = hook.committed.event.payloadValue
        let waiting = DerivedEvent("claude_waiting") { writer in
            writer.field("tool_use_id", prompt.toolUseID)
            writer.field("request_id", prompt.toolUseID)
            writer.field("tool_name", prompt.toolName ?? prompt.title)
            writer.field("input", (payload["requested_schema"] ?? .object([])).text)
            writer.field("question", prompt.question ?? prompt.detail)
            writer.field("kind", hook.detail)
        }
        return prompt.isWaitedFor ? [waiting, status("waiting")] : [waiting]
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

import EventModel
import JSON

/// What a hook event says of the conversation, as far as its stored payload tells: a prompt, a tool call, a tool's
/// result, or the answer at the end of a turn.
struct ClaudeMessage {
    enum Block {
        case text(String)
        case toolUse(id: String, name: String, input: JSONValue)
        case toolResult(id: String, content: String, isError: Bool)
    }

    enum Role: String, CaseIterable {
        case user
        case assistant
    }

    /// The events that are messages, each exactly one.
    static let types: Set<EventType> = [
        .prompt, .toolStart, .tool, .toolFailure, EventType(.known(.stop)),
    ]

    var role: Role
    var blocks: [Block]
    /// A prompt that Claude Code gave itself; REST gives it the role `system`.
    var isMeta = false

    /// `payload` is that of `event`. `nil` for an event that is no message.
    init?(_ event: MonitorEvent, payload: JSONValue) {
        let callID = event.facts.toolUseID ?? event.id.description
        let tool = event.toolName ?? ""
        switch event.hookEventName?.known {
        case .userPromptSubmit:
            role = .user
            blocks = [.text(payload["prompt"]?.string ?? event.summary)]
        case .preToolUse:
            role = .assistant
            blocks = [.toolUse(id: callID, name: tool, input: payload["tool_input"] ?? .object([]))]
        case .postToolUse:
            role = .user
            blocks = [.toolResult(id: callID, content: ClaudeMessage.text(payload["tool_response"]), isError: false)]
        case .postToolUseFailure:
            role = .user
            let text = payload["error"] ?? payload["tool_response"]
            blocks = [.toolResult(id: callID, content: ClaudeMessage.text(text), isError: true)]
        case .stop:
            role = .assistant
            blocks = payload["last_assistant_message"]?.string.map { [.text($0)] } ?? []
        default: return nil
        }
        guard event.hookEventName?.known == .userPromptSubmit else { return }
        // The payload may lack the prompt, and the facts of an old event may lack the word.
        isMeta =
            event.facts.promptIsInjected
            || InjectedPrompt.isInjected(payload["prompt"]?.string ?? "", source: payload["source"]?.string)
    }

    /// A tool's answer as one text: what it printed, where it prints, else its JSON.
    static func text(_ response: JSONValue?) -> String {
        guard let response, response != .null else { return "" }
        if let text = response.string { return text }
        if let output = response["stdout"]?.string {
            let errors = response["stderr"]?.string ?? ""
            return errors.isEmpty ? output : output.isEmpty ? errors : output + "\n" + errors
        }
        if let text = response["content"]?.string { return text }
        return response.text
    }

    /// The blocks of the Messages API, each with cdev's names beside.
    func writeBlocks(to writer: inout JSONWriter) {
        writer.beginArray()
        for block in blocks {
            writer.beginObject()
            switch block {
            case .text(let text):
                writer.field("type", "text")
                writer.field("text", text)
            case .toolUse(let id, let name, let input):
                writer.field("type", "tool_use")
                writer.field("id", id)
                writer.field("name", name)
                // A string here breaks clients that read an object.
                writer.field("input", input.isObject ? input : .object([]))
                writer.field("tool_id", id)
                writer.field("tool_name", name)
                writer.field("tool_input", input.isObject ? input : .object([]))
            case .toolResult(let id, let content, let isError):
                writer.field("type", "tool_result")
                writer.field("tool_use_id", id)
                writer.field("content", content)
                writer.field("is_error", isError)
            }
            writer.endObject()
        }
        writer.endArray()
    }
}

extension JSONValue {
    /// As compact JSON.
    var text: String {
        var writer = JSONWriter()
        writer.value(self)
        return String(decoding: writer.bytes, as: UTF8.self)
    }
}

extension MonitorEvent {
    /// An empty object where the payload cannot be read.
    var payloadValue: JSONValue { (try? JSONValue.parse(payload, maxDepth: 512)) ?? .object([]) }
}

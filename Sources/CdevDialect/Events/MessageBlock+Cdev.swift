import EventModel
import JSON
import Transcripts

extension ConversationMessage {
    /// cdev has two roles. A prompt that Claude Code wrote itself is `user` with `is_meta`.
    enum CdevRole: String, CaseIterable {
        case user
        case assistant
    }

    var cdevRole: CdevRole { role == .assistant ? .assistant : .user }

    /// The blocks of the Messages API, with cdev's names in addition.
    func writeCdevBlocks(to writer: inout JSONWriter) {
        writer.beginArray()
        for block in blocks {
            writer.beginObject()
            block.writeCdevMembers(to: &writer)
            writer.endObject()
        }
        writer.endArray()
    }
}

extension MessageBlock {
    fileprivate func writeCdevMembers(to writer: inout JSONWriter) {
        switch self {
        case .text(let text):
            writer.field("type", "text")
            writer.field("text", text)
        case .thinking(let text):
            writer.field("type", "thinking")
            writer.field("thinking", text)
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
        case .image:
            // cdev's clients know no other kind of block.
            writer.field("type", "text")
            writer.field("text", cdevText)
        }
    }

    /// The text that replaces an image.
    var cdevText: String {
        guard case .image(let type, let description) = self else { return writtenText ?? "" }
        return description.isEmpty ? "[\(type)]" : "[\(type), \(description)]"
    }
}

extension JSONValue {
    /// The block as compact JSON.
    var text: String {
        var writer = JSONWriter()
        writer.value(self)
        return String(decoding: writer.bytes, as: UTF8.self)
    }
}

extension MonitorEvent {
    /// An empty object if the payload cannot be parsed.
    var payloadValue: JSONValue { (try? JSONValue.parse(payload, maxDepth: 512)) ?? .object([]) }
}

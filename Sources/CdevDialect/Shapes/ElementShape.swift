import EventModel
import JSON

/// Messages as the elements of a chat view. Clients need every member of an element's content.
enum ElementShape {
    /// Writes the array `elements` and returns the elements' ids. `events` are in the order of the log.
    static func write(_ events: [CommittedEvent], to writer: inout JSONWriter) -> [String] {
        var ids: [String] = []
        var outcomes: [String: Bool] = [:]
        let messages = events.map { ($0, ClaudeMessage($0.event, payload: $0.event.payloadValue)) }
        for case (_, let message?) in messages {
            if case .toolResult(let id, _, let isError)? = message.blocks.first { outcomes[id] = isError }
        }
        writer.beginArray("elements")
        for case (let event, let message?) in messages {
            guard let block = message.blocks.first else { continue }
            ids.append(String(event.seq))
            writer.beginObject()
            writer.field("id", String(event.seq))
            writer.field("type", type(of: block, message.role))
            writer.field("timestamp", event.event.timestamp.description)
            writer.beginObject("content")
            write(block, of: event.event, outcomes, to: &writer)
            writer.endObject()
            writer.endObject()
        }
        writer.endArray()
        return ids
    }

    private static func type(of block: ClaudeMessage.Block, _ role: ClaudeMessage.Role) -> String {
        switch block {
        case .text: role == .user ? "user_input" : "assistant_text"
        case .toolUse: "tool_call"
        case .toolResult: "tool_result"
        }
    }

    private static func write(
        _ block: ClaudeMessage.Block,
        of event: MonitorEvent,
        _ outcomes: [String: Bool],
        to writer: inout JSONWriter
    ) {
        switch block {
        case .text(let text): writer.field("text", text)
        case .toolUse(let id, let name, let input):
            writer.field("tool", name)
            writer.field("tool_id", id)
            writer.field("display", event.summary)
            writer.beginObject("params")
            if case .object(let members) = input {
                for (name, value) in members {
                    writer.key(named: name)
                    writer.string(value.string ?? value.text)
                }
            }
            writer.endObject()
            writer.field("status", outcomes[id].map { $0 ? "error" : "completed" } ?? "running")
        case .toolResult(let id, let content, let isError):
            writer.field("tool_call_id", id)
            writer.field("tool_name", event.toolName ?? "")
            writer.field("is_error", isError)
            writer.field("summary", event.summary)
            writer.field("full_content", content)
            writer.field("line_count", content.utf8.reduce(1) { $1 == UInt8(ascii: "\n") ? $0 + 1 : $0 })
            writer.field("expandable", !content.isEmpty)
            writer.field("truncated", content.contains("… [+"))
        }
    }
}

import EventModel
package import JSON
package import Sessions
import Transcripts

/// What happens in a session, as objects `{"type":...,"data":{...}}` for the sockets of one session.
package enum SessionFrames {
    /// What an event says of the conversation of the main agent, in order. Derived only from stored data, so that a
    /// replay gives the same.
    static func of(_ committed: CommittedEvent, _ context: EventContext) -> [[UInt8]] {
        let event = committed.event
        guard event.facts.agentID == nil else { return [] }
        if let grown = context.grown { return grown.lines.flatMap { of($0, hasTranscript: context.hasTranscript) } }
        switch event.type {
        case .promptOpened, .promptClosed:
            guard let prompt = event.payloadValue["prompt"] else { return [] }
            return [frame("prompt") { $0.value(prompt) }]
        case .toolStart, .tool, .toolFailure:
            guard !context.isRepeated, let message = ConversationMessage(committed) else { return [] }
            return tools(of: message)
        case EventType(.known(.stop)):
            // The message of the transcript follows, with its tokens.
            guard !context.isRepeated, !context.hasTranscript, let message = ConversationMessage(committed) else {
                return []
            }
            return response(message).map { [$0] } ?? []
        default: return []
        }
    }

    /// - Parameter hasTranscript: whether the ends of turns are left to the transcript. Otherwise its message has no
    ///   part that a hook has reported.
    private static func of(_ line: GrownMessages.Line, hasTranscript: Bool) -> [[UInt8]] {
        let written = hasTranscript ? line.whole : line.message
        let answer = written?.role == .assistant ? written.flatMap(response) : nil
        return (answer.map { [$0] } ?? []) + (line.message.map(tools) ?? [])
    }

    private static func response(_ message: ConversationMessage) -> [UInt8]? {
        let text = message.text
        guard !text.isEmpty else { return nil }
        return frame("response") { writer in
            writer.beginObject()
            writer.field("content", text)
            if let usage = message.usage {
                writer.field("tokens_used", usage.output)
            } else {
                writer.null("tokens_used")
            }
            writer.field("message_id", message.messageID)
            writer.field("model", message.model)
            writer.field("stop_reason", message.stopReason)
            writer.field("timestamp", message.place.at.description)
            writer.endObject()
        }
    }

    private static func tools(of message: ConversationMessage) -> [[UInt8]] {
        message.blocks.compactMap { block in
            switch block {
            case .toolUse(let id, let name, _): tool(id, "running", name: name, summary: block.summary)
            case .toolResult(let id, _, let isError):
                tool(id, isError ? "failed" : "done", name: message.toolName, summary: nil)
            case .text, .thinking, .image: nil
            }
        }
    }

    private static func tool(_ id: String, _ state: String, name: String?, summary: String?) -> [UInt8] {
        frame("tool") { writer in
            writer.beginObject()
            writer.field("id", id)
            writer.field("name", name)
            writer.field("state", state)
            writer.field("summary", summary)
            writer.endObject()
        }
    }

    /// A prompt that waits for a person, for a client that has just connected.
    package static func prompt(_ record: PromptRecord) -> [UInt8] {
        frame("prompt") { PromptRecord.shape.write(record, to: &$0) }
    }

    /// A piece of text that is being written.
    ///
    /// - Parameter members: of the data.
    package static func delta(_ members: (inout JSONWriter) -> Void) -> [UInt8] {
        frame("response_delta") { writer in
            writer.beginObject()
            members(&writer)
            writer.endObject()
        }
    }

    /// An object whose data would be too large has none, and says so.
    private static func frame(_ type: String, _ data: (inout JSONWriter) -> Void) -> [UInt8] {
        var content = JSONWriter(reserving: 512)
        data(&content)
        let json = JSONEscaping.withoutLineSeparators(content.bytes)
        let isCut = json.count > MessageLimit.payload
        var writer = JSONWriter(reserving: (isCut ? 0 : json.count) + 64)
        writer.beginObject()
        writer.field("type", type)
        if isCut { writer.field("data_truncated", true) }
        writer.field("data", json: isCut ? MessageLimit.emptyPayload : json)
        writer.endObject()
        return writer.bytes
    }
}

internal import JSON

/// The text of the message that the model is writing. It is not final: if the stream breaks, the client takes it back.
///
/// The client sends the pieces as `stream_event` and, before the end of each content block, the whole block as
/// `assistant`, which the transcript also gets.
struct PartialTexts: Sendable {
    private var messageID: String?
    /// The texts of blocks that no `assistant` has closed.
    private var blocks: [(index: Int64, text: String)] = []
    private var isShown = false
    /// Whether an earlier text of this message was closed, so that the next piece must replace it.
    private var wasClosed = false

    mutating func receive(_ frame: JSONValue) -> [ClaudeSessionEvent] {
        guard let event = frame["event"] else { return [] }
        let id = frame["api_message_id"]?.string ?? event["message"]?["id"]?.string ?? messageID
        var events: [ClaudeSessionEvent] = []
        if let id, id != messageID {
            events += close()
            messageID = id
            wasClosed = false
        }
        if let delta = event["delta"], delta["type"]?.string == "text_delta", let text = delta["text"]?.string {
            events += append(text, to: event["index"]?.integer ?? 0)
        }
        if let abandoned = frame["abandoned_blocks"], abandoned["api_message_id"]?.string ?? messageID == messageID {
            events += retract(from: abandoned["from_block_index"]?.integer ?? 0)
        }
        return events
    }

    /// An `assistant` of the main conversation: a whole content block.
    mutating func receive(message: JSONValue) -> [ClaudeSessionEvent] {
        guard let id = message["id"]?.string, id == messageID,
            message["content"]?.array?.contains(where: { $0["type"]?.string == "text" }) == true
        else { return [] }
        return close()
    }

    /// No more pieces of the text will follow.
    mutating func close() -> [ClaudeSessionEvent] {
        defer {
            blocks = []
            isShown = false
        }
        guard let messageID, isShown else { return [] }
        wasClosed = true
        return [.partialClosed(messageID: messageID)]
    }

    private mutating func append(_ text: String, to index: Int64) -> [ClaudeSessionEvent] {
        guard let messageID, !text.isEmpty else { return [] }
        if let place = blocks.firstIndex(where: { $0.index == index }) {
            blocks[place].text += text
        } else {
            blocks.append((index, text))
        }
        let replaces = wasClosed && !isShown
        isShown = true
        return [.partial(messageID: messageID, text: text, replaces: replaces)]
    }

    private mutating func retract(from index: Int64) -> [ClaudeSessionEvent] {
        guard let messageID, isShown, blocks.contains(where: { $0.index >= index }) else { return [] }
        blocks.removeAll { $0.index >= index }
        let rest = blocks.map(\.text).joined()
        let events: [ClaudeSessionEvent] = [.partial(messageID: messageID, text: rest, replaces: true)]
        return rest.isEmpty ? events + close() : events
    }
}

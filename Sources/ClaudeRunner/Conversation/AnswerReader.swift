internal import JSON

/// Reads the answers to the messages that somebody follows. Pure; one method for each input.
struct AnswerReader: Sendable {
    typealias Part = (message: String, part: AnswerPart)

    /// Those whose turn has not begun.
    private var waiting: Set<String> = []
    /// The message that is being answered.
    private var message: String?
    private var answer = Answer()

    /// What is known of the answer that is being written.
    private struct Answer {
        var end = ChatEnd()
        var fault: ChatEnd.Failure?
        /// The model's message that is being written.
        var apiMessage = ""
        /// The messages that came in pieces.
        var streamed: Set<String> = []
        /// The block whose text came last.
        var block: Block?
        /// The blocks that were told.
        var told: Set<Block> = []
    }

    private struct Block: Hashable {
        var message: String
        var index: Int64
    }

    mutating func follow(_ id: String) { waiting.insert(id) }

    mutating func unfollow(_ id: String) {
        waiting.remove(id)
        if message == id { message = nil }
    }

    mutating func started(_ id: String) {
        guard message == nil, waiting.remove(id) != nil else { return }
        (message, answer) = (id, Answer())
    }

    /// The client will say nothing more of these messages.
    mutating func over(_ ids: [String], _ kind: ChatEnd.Failure.Kind, _ words: String) -> [Part] {
        ids.flatMap { id -> [Part] in
            guard waiting.remove(id) != nil || message == id else { return [] }
            if message == id { return end(.init(kind, words)) }
            var end = ChatEnd()
            end.failure = .init(kind, words)
            return [(id, .ended(end))]
        }
    }

    mutating func exited() -> [Part] {
        let left = waiting.sorted() + (message.map { [$0] } ?? [])
        return over(left, .gone, "Claude Code has ended before it answered.")
    }

    /// A line of the main conversation.
    mutating func receive(_ line: JSONValue) -> [Part] {
        switch line["type"]?.string {
        case "stream_event": return receive(stream: line)
        case "assistant": return receive(assistant: line)
        case "user": return receive(user: line)
        case "result": return receive(result: line)
        default: return []
        }
    }

    private func tell(_ part: AnswerPart) -> [Part] { message.map { [($0, part)] } ?? [] }

    private mutating func end(_ failure: ChatEnd.Failure?) -> [Part] {
        answer.end.failure = failure
        defer { message = nil }
        return tell(.ended(answer.end))
    }
}

extension AnswerReader {
    private mutating func receive(stream line: JSONValue) -> [Part] {
        guard message != nil, let event = line["event"] else { return [] }
        if let id = line["api_message_id"]?.string ?? event["message"]?["id"]?.string { answer.apiMessage = id }
        answer.streamed.insert(answer.apiMessage)
        if let model = event["message"]?["model"]?.string { answer.end.model = model }
        if let reason = event["delta"]?["stop_reason"]?.string { answer.end.stopReason = reason }
        if let abandoned = line["abandoned_blocks"] {
            let first = abandoned["from_block_index"]?.integer ?? 0
            let gone = abandoned["api_message_id"]?.string ?? answer.apiMessage
            guard answer.told.contains(where: { $0.message == gone && $0.index >= first }) else { return [] }
            return end(.init(.retracted, "The model's stream broke, and text that was sent no longer counts."))
        }
        let block = Block(message: answer.apiMessage, index: event["index"]?.integer ?? 0)
        switch event["delta"]?["type"]?.string {
        case "text_delta": return add(event["delta"]?["text"]?.string ?? "", of: block)
        case "thinking_delta":
            let text = event["delta"]?["thinking"]?.string ?? ""
            return text.isEmpty ? [] : tell(.thinking(text))
        default: return []
        }
    }

    private mutating func add(_ text: String, of block: Block) -> [Part] {
        guard !text.isEmpty else { return [] }
        let gap = answer.block == nil || answer.block == block ? "" : "\n\n"
        answer.block = block
        answer.told.insert(block)
        return tell(.text(gap + text))
    }

    private mutating func receive(assistant line: JSONValue) -> [Part] {
        guard message != nil, let content = line["message"] else { return [] }
        let blocks = content["content"]?.array ?? []
        guard content["model"]?.string != "<synthetic>" else {
            let texts = blocks.compactMap { $0["type"]?.string == "text" ? $0["text"]?.string : nil }
            answer.fault = ChatConversation.failure(line, texts.joined(separator: "\n\n"))
            return []
        }
        let id = content["id"]?.string ?? ""
        var parts: [Part] = []
        for (index, block) in blocks.enumerated() {
            switch block["type"]?.string {
            case "text" where !answer.streamed.contains(id):
                // Each block comes in a frame of its own.
                let place = Int64(answer.told.count + index)
                parts += add(block["text"]?.string ?? "", of: Block(message: id, index: place))
            case "tool_use":
                let call = AnswerPart.tool(id: block["id"]?.string ?? "", name: block["name"]?.string ?? "")
                parts += tell(call)
            default: break
            }
        }
        return parts
    }

    private func receive(user line: JSONValue) -> [Part] {
        (line["message"]?["content"]?.array ?? []).flatMap { block -> [Part] in
            guard block["type"]?.string == "tool_result", let id = block["tool_use_id"]?.string else { return [] }
            return tell(.toolEnded(id: id, isError: block["is_error"]?.bool ?? false))
        }
    }

    private mutating func receive(result line: JSONValue) -> [Part] {
        // A finished task of the background has a turn of its own.
        guard message != nil, line["origin"]?["kind"]?.string != "task-notification" else { return [] }
        answer.end.usage = line["usage"]
        answer.end.cost = AnswerReader.cost(line)
        if let reason = line["stop_reason"]?.string { answer.end.stopReason = reason }
        if line["terminal_reason"]?.string?.hasPrefix("aborted") ?? false {
            return end(.init(.interrupted, "The turn was interrupted."))
        }
        guard line["is_error"]?.bool ?? false else { return end(nil) }
        let words = line["errors"]?.array?.compactMap(\.string).joined(separator: "\n") ?? ""
        return end(answer.fault ?? .init(.api, words, status: line["api_error_status"]?.integer))
    }

    /// US dollars of the turn. `total_cost_usd` counts all turns of the client.
    private static func cost(_ line: JSONValue) -> Double? {
        guard case .object(let models)? = line["model_usage_since_last_result"] else {
            return line["result_index"]?.integer ?? 0 == 0 ? line["total_cost_usd"]?.double : nil
        }
        let costs = models.compactMap { $0.1["costUSD"]?.double }
        return costs.count == models.count ? costs.reduce(0, +) : nil
    }
}

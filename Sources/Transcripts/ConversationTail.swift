internal import EventModel

/// Decides which hook events a transcript, which comes later, has not told yet.
enum ConversationTail {
    /// Messages of the transcript's end that are compared.
    static let comparedMessages = 50
    /// Seconds by which a hook's time may differ from that of its line.
    static let tolerance = 5.0

    /// - Parameters:
    ///   - events: in the order of the log.
    ///   - told: the newest messages of the transcript, the newest first.
    static func messages(
        _ events: [CommittedEvent],
        told: [ConversationMessage],
        agentID: String?
    ) -> [ConversationMessage] {
        let turns = Set(told.compactMap(\.turnID))
        let blocks = told.flatMap(\.blocks)
        var calls: Set<String> = []
        var results: Set<String> = []
        for case .toolUse(let id, _, _) in blocks { calls.insert(id) }
        for case .toolResult(let id, _, _) in blocks { results.insert(id) }
        return events.compactMap { event in
            guard event.event.facts.agentID == agentID, let message = ConversationMessage(event) else { return nil }
            if isOlder(event, than: told.first) { return nil }
            switch message.blocks.first {
            case nil: return nil
            case .toolUse(let id, _, _)?: return calls.contains(id) ? nil : message
            case .toolResult(let id, _, _)?: return results.contains(id) ? nil : message
            default: break
            }
            if message.role != .assistant, let turn = message.turnID, turns.contains(turn) { return nil }
            let isAnswer = message.role == .assistant
            return told.contains { ($0.role == .assistant) == isAnswer && isSame($0.text, message.text) } ? nil : message
        }
    }

    /// Whether the transcript has gone on since the event.
    static func isOlder(_ event: CommittedEvent, than newest: ConversationMessage?) -> Bool {
        guard let newest else { return false }
        return newest.place.at.seconds(since: event.event.timestamp) > tolerance
    }

    /// Both may be cut, at different lengths.
    private static func isSame(_ left: String, _ right: String) -> Bool {
        let count = min(left.utf8.count, right.utf8.count, 400)
        return count > 0 && left.utf8.prefix(count).elementsEqual(right.utf8.prefix(count))
    }
}

/// A page by offset of a transcript's messages with the tail behind them, which is one list.
struct ConversationWindow: Equatable {
    /// Messages of the transcript that the page passes over and holds, in the order of the page.
    var skipped: Int
    var taken: Int
    /// Messages of the tail that the page holds, in the order of the page.
    var tail: Range<Int>
    /// Whether the tail comes before the transcript's messages.
    let isDescending: Bool

    init(transcript: Int, tail: Int, offset: Int, limit: Int, isDescending: Bool) {
        self.isDescending = isDescending
        func part(of count: Int, from start: Int) -> Range<Int> {
            let from = min(max(offset - start, 0), count)
            let to = min(max(offset + limit - start, 0), count)
            return from..<max(from, to)
        }
        let lines = part(of: transcript, from: isDescending ? tail : 0)
        (skipped, taken) = (lines.lowerBound, lines.count)
        self.tail = part(of: tail, from: isDescending ? 0 : transcript)
    }
}

internal import EventModel

/// Finds the hook events whose content the transcript does not contain yet. The transcript arrives after the events.
enum ConversationTail {
    /// The number of messages at the transcript's end that are compared.
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
            return told.contains { ($0.role == .assistant) == isAnswer && isSame($0.text, message.text) }
                ? nil : message
        }
    }

    /// Whether the transcript has continued since the event.
    static func isOlder(_ event: CommittedEvent, than newest: ConversationMessage?) -> Bool {
        guard let newest else { return false }
        return newest.place.at.seconds(since: event.event.timestamp) > tolerance
    }

    /// Whether two texts are the same. Both may be cut, at different lengths.
    private static func isSame(_ left: String, _ right: String) -> Bool {
        let (left, isLeftCut) = kept(of: left)
        let (right, isRightCut) = kept(of: right)
        guard !left.isEmpty, !right.isEmpty else { return false }
        if isLeftCut, right.utf8.count >= left.utf8.count { return right.utf8.starts(with: left.utf8) }
        if isRightCut, left.utf8.count >= right.utf8.count { return left.utf8.starts(with: right.utf8) }
        return left.utf8.elementsEqual(right.utf8)
    }

    /// The text before the mark of a cut.
    private static func kept(of text: String) -> (text: Substring, isCut: Bool) {
        guard text.hasSuffix("]"), let mark = text.lastIndex(ofMark: "… [+") else { return (text[...], false) }
        return (text[..<mark], true)
    }
}

extension String {
    fileprivate func lastIndex(ofMark mark: String) -> String.Index? {
        guard let start = lastIndex(of: mark.first ?? " "), self[start...].hasPrefix(mark) else { return nil }
        return start
    }
}

/// A page by offset over the transcript's messages and the tail after them, which form one list.
struct ConversationWindow: Equatable {
    /// The messages of the transcript that the page skips and contains, in the order of the page.
    var skipped: Int
    var taken: Int
    /// The messages of the tail that the page contains, in the order of the page.
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

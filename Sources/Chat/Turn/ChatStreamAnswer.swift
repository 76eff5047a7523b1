/// Writes an answer in pieces.
protocol ChatStreamAnswer: Sendable {
    /// The new text. If nothing was written before, the opening comes first. Empty if there is nothing new.
    mutating func write(_ news: ChatRun.News) -> [UInt8]
}

extension ChatAnswer: ChatStreamAnswer {
    mutating func write(_ news: ChatRun.News) -> [UInt8] {
        var bytes: [UInt8] = []
        if !isOpen, !news.isEmpty {
            isOpen = true
            model = news.model ?? model
            bytes = opening
        }
        return bytes + pieces(news.pieces) + (news.outcome.map { end($0) } ?? [])
    }
}

extension ChatRun.News {
    /// An error before the first piece needs no opening.
    var isEmpty: Bool {
        guard pieces.isEmpty else { return false }
        if case .finished = outcome { return false }
        return true
    }
}

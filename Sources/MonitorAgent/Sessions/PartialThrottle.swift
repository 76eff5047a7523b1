/// Paces the text that a session writes: the first piece goes at once, what follows at most every 100 ms. Pure; times
/// are seconds of one monotonic clock.
struct PartialThrottle {
    static let interval = 0.1
    /// Bytes of one piece. What is longer is cut.
    static let pieceLimit = 256 << 10

    struct Piece: Equatable {
        var messageID: String
        var text: String
        var replaces: Bool
        var isClosed = false
    }

    private struct Waiting {
        var messageID: String
        var text: String
        var replaces: Bool
    }

    private var waiting: Waiting?
    private var sentAt = -1.0
    /// The message whose text was sent last.
    private var open: String?

    /// A message whose beginning the server may not have. What is added to it is not sent.
    private var broken: String?

    /// When `due` has something to do.
    var deadline: Double? { waiting == nil ? nil : sentAt + PartialThrottle.interval }

    mutating func take(_ messageID: String, _ text: String, replaces: Bool, now: Double) -> [Piece] {
        if replaces { broken = nil }
        guard messageID != broken else { return [] }
        var pieces: [Piece] = []
        if let other = waiting, other.messageID != messageID { pieces += flush(now) }
        if replaces || waiting == nil {
            waiting = Waiting(messageID: messageID, text: text, replaces: replaces)
        } else {
            waiting?.text += text
        }
        return pieces + due(now)
    }

    /// The text of a message is final. What waits is sent first.
    mutating func close(_ messageID: String, now: Double) -> [Piece] {
        var pieces: [Piece] = []
        if waiting?.messageID == messageID { pieces = flush(now) }
        guard open == messageID else { return pieces }
        open = nil
        return pieces + [Piece(messageID: messageID, text: "", replaces: false, isClosed: true)]
    }

    /// The connection was lost: what it carried may not have arrived.
    mutating func linkLost() {
        broken = waiting?.messageID ?? open ?? broken
        (waiting, open) = (nil, nil)
    }

    mutating func due(_ now: Double) -> [Piece] {
        guard waiting != nil, now >= sentAt + PartialThrottle.interval else { return [] }
        return flush(now)
    }

    private mutating func flush(_ now: Double) -> [Piece] {
        guard let piece = waiting else { return [] }
        waiting = nil
        sentAt = now
        open = piece.messageID
        guard piece.text.utf8.count > PartialThrottle.pieceLimit else {
            return [Piece(messageID: piece.messageID, text: piece.text, replaces: piece.replaces)]
        }
        var pieces: [Piece] = []
        var rest = piece.text[...]
        while !rest.isEmpty {
            var end =
                rest.utf8.index(
                    rest.startIndex,
                    offsetBy: PartialThrottle.pieceLimit,
                    limitedBy: rest.endIndex
                ) ?? rest.endIndex
            // Between two characters.
            while end < rest.endIndex, rest.utf8[end] & 0xC0 == 0x80 { end = rest.utf8.index(before: end) }
            pieces.append(
                Piece(
                    messageID: piece.messageID,
                    text: String(rest[..<end]),
                    replaces: piece.replaces && pieces.isEmpty
                )
            )
            rest = rest[end...]
        }
        return pieces
    }
}

/// Paces what a terminal shows: the first piece goes at once, what follows at most 30 times a second. Pure; times are
/// seconds of one monotonic clock.
struct ScreenThrottle {
    static let interval = 1.0 / 30
    /// Bytes of one piece.
    static let pieceLimit = 64 << 10
    /// What waits beyond this is dropped from its beginning.
    static let waitingLimit = 256 << 10

    struct Piece: Equatable {
        var text: String
        /// What was sent before is to be forgotten.
        var restarts: Bool
    }

    private var waiting: [UInt8] = []
    private var restarts = false
    private var sentAt = -1.0

    /// When `due` has something to do.
    var deadline: Double? { waiting.isEmpty ? nil : sentAt + ScreenThrottle.interval }

    mutating func take(_ bytes: [UInt8], restarts: Bool, now: Double) -> Piece? {
        if restarts { (waiting, self.restarts) = ([], true) }
        waiting += bytes
        if waiting.count > ScreenThrottle.waitingLimit {
            waiting.removeFirst(waiting.count - ScreenThrottle.waitingLimit)
            self.restarts = true
        }
        // What begins again may begin inside a character.
        if self.restarts { waiting.removeFirst(waiting.prefix(3).prefix { $0 & 0xC0 == 0x80 }.count) }
        return due(now)
    }

    mutating func due(_ now: Double) -> Piece? {
        guard now >= sentAt + ScreenThrottle.interval else { return nil }
        let count = ScreenThrottle.wholeCharacters(waiting.prefix(ScreenThrottle.pieceLimit))
        guard count > 0 else { return nil }
        defer {
            waiting.removeFirst(count)
            (restarts, sentAt) = (false, now)
        }
        return Piece(text: String(decoding: waiting[..<count], as: UTF8.self), restarts: restarts)
    }

    /// The number of bytes without the beginning of a character whose rest is missing.
    private static func wholeCharacters(_ bytes: ArraySlice<UInt8>) -> Int {
        for back in 1...3 where back <= bytes.count {
            let byte = bytes[bytes.endIndex - back]
            guard byte & 0xC0 != 0x80 else { continue }
            let length = byte >= 0xF0 ? 4 : byte >= 0xE0 ? 3 : byte >= 0xC0 ? 2 : 1
            return length > back ? bytes.count - back : bytes.count
        }
        return bytes.count
    }
}

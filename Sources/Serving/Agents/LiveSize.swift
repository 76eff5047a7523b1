internal import EventModel

/// The room that the live texts and screens of agents' sessions take: in messages to clients, in memory and in work.
enum LiveSize {
    /// Bytes of JSON of one notice's text.
    static let notice = MessageLimit.payload
    /// Bytes that the server keeps for all sessions of one machine.
    static let machine = 16 << 20
    /// Bytes of text per second that are masked for one machine, and at once after a pause. Masking takes the time of
    /// the network loop.
    static let masking = RateLimit(requestsPerSecond: Double(2 << 20), burst: 4 << 20)

    /// The most bytes that a text takes as a JSON string.
    static func json(_ text: some Sequence<UInt8>) -> Int {
        text.reduce(0) { $0 + json($1) }
    }

    /// The longest end of a text that takes at most `notice` bytes as a JSON string. It begins with a character.
    static func end(of text: some BidirectionalCollection<UInt8>, atMost bytes: Int) -> some Collection<UInt8> {
        var room = notice
        var start = text.endIndex
        var count = 0
        while start > text.startIndex, count < bytes {
            let before = text.index(before: start)
            room -= json(text[before])
            guard room >= 0 else { break }
            (start, count) = (before, count + 1)
        }
        return text[start...].drop { $0 & 0xC0 == 0x80 }
    }

    private static func json(_ byte: UInt8) -> Int {
        switch byte {
        case 0x08, 0x09, 0x0A, 0x0C, 0x0D, UInt8(ascii: "\""), UInt8(ascii: "\\"): 2
        case ..<0x20, 0x7F: 6
        // These begin the line separators, which are escaped.
        case 0xC2: 5
        case 0xE2: 4
        default: 1
        }
    }
}

extension LoopHandler {
    /// Whether the machine may have more kept.
    func hasRoomForLive(_ bytes: Int, of machine: MachineID) -> Bool {
        let texts = liveTexts.values.reduce(0) { $0 + ($1.machine == machine ? $1.size : 0) }
        let screens = liveScreens.values.reduce(0) { $0 + ($1.machine == machine ? $1.size : 0) }
        return texts + screens + bytes <= LiveSize.machine
    }
}

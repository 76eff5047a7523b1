/// A UUID (RFC 9562). Two events with the same id are the same event, so a retry is harmless.
public struct EventID: Sendable, Hashable {
    public var high: UInt64
    public var low: UInt64

    public init(high: UInt64, low: UInt64) {
        self.high = high
        self.low = low
    }

    /// Parses the 8-4-4-4-12 form in upper or lower case. Returns `nil` for anything else.
    public init?(_ text: String) {
        var bits: (UInt64, UInt64) = (0, 0)
        var position = 0
        for byte in text.utf8 {
            switch position {
            case 8, 13, 18, 23:
                guard byte == UInt8(ascii: "-") else { return nil }
            case 0..<36:
                guard let nibble = byte.hexDigitValue else { return nil }
                bits = (bits.0 << 4 | bits.1 >> 60, bits.1 << 4 | UInt64(nibble))
            default: return nil
            }
            position += 1
        }
        guard position == 36 else { return nil }
        self.init(high: bits.0, low: bits.1)
    }

    /// Derives the id of one of the server's own events from a name that the server makes. The same name for the same
    /// machine always gives the same id. No name that a sender chooses gives it: see `init(sentName:machine:)`.
    public init(name: String, machine: MachineID) {
        self.init(digest: Fingerprint.sha256([String(machine.rawValue), name]))
    }

    /// Derives an id from the sender's own name for an event. The same name of the same machine always gives the same
    /// id; no name of another machine gives it, and neither does any name of the server.
    public init(sentName name: String, machine: MachineID) {
        self.init(digest: Fingerprint.sha256(["sent", String(machine.rawValue), name]))
    }

    /// Makes a UUID of version 8.
    private init(digest: [UInt8]) {
        let high = digest[0..<8].reduce(0) { $0 << 8 | UInt64($1) }
        let low = digest[8..<16].reduce(0) { $0 << 8 | UInt64($1) }
        self.init(
            high: high & 0xFFFF_FFFF_FFFF_0FFF | 0x8000,
            low: low & 0x3FFF_FFFF_FFFF_FFFF | 0x8000_0000_0000_0000
        )
    }

    /// Whether the id has the version of ids that are derived from a name.
    package var isNamed: Bool { high >> 12 & 15 == 8 }

    /// UUID version 7. It is sorted by time, so an index on it grows at one end.
    public static func version7(at time: Timestamp, using random: inout some RandomNumberGenerator) -> EventID {
        let milliseconds = UInt64(clamping: time.microseconds / 1000)
        let high = milliseconds << 16 | 0x7000 | (random.next() as UInt64) & 0x0FFF
        let low = 0x8000_0000_0000_0000 | (random.next() as UInt64) >> 2
        return EventID(high: high, low: low)
    }

    /// UUID version 4. Claude Code takes no other kind for the id of a session.
    package static func version4(using random: inout some RandomNumberGenerator) -> EventID {
        EventID(
            high: (random.next() as UInt64) & 0xFFFF_FFFF_FFFF_0FFF | 0x4000,
            low: (random.next() as UInt64) & 0x3FFF_FFFF_FFFF_FFFF | 0x8000_0000_0000_0000
        )
    }
}

extension EventID: CustomStringConvertible {
    public var description: String {
        var text = InlineArray<36, UInt8>(repeating: UInt8(ascii: "-"))
        for position in 0..<32 {
            let word = position < 16 ? high : low
            let nibble = UInt8(truncatingIfNeeded: word >> UInt64(60 - position % 16 * 4)) & 15
            let digit = nibble < 10 ? UInt8(ascii: "0") + nibble : UInt8(ascii: "a") + nibble - 10
            // Behind the dashes at 8, 13, 18 and 23.
            text[position + min(max(position / 4 - 1, 0), 4)] = digit
        }
        guard let ascii = try? UTF8Span(validating: text.span) else { return "" }
        return String(copying: ascii)
    }
}

extension UInt8 {
    var hexDigitValue: UInt8? {
        switch self {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): self - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): self - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): self - UInt8(ascii: "A") + 10
        default: nil
        }
    }
}

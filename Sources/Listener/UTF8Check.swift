/// Checks text that arrives in pieces for valid UTF-8 (RFC 3629), and fails at the first byte that cannot follow.
struct UTF8Check {
    /// The number of missing bytes of the current character, and the range of the next byte.
    private var missing = 0
    private var next: ClosedRange<UInt8> = 0x80...0xbf

    /// The text may end here.
    var isComplete: Bool { missing == 0 }

    /// Returns false if the text is not UTF-8.
    mutating func take(_ bytes: ArraySlice<UInt8>) -> Bool {
        for byte in bytes {
            if missing == 0 {
                guard begin(byte) else { return false }
            } else {
                guard next.contains(byte) else { return false }
                next = 0x80...0xbf
                missing -= 1
            }
        }
        return true
    }

    private mutating func begin(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x00...0x7f: break
        case 0xc2...0xdf: missing = 1
        case 0xe0: (missing, next) = (2, 0xa0...0xbf)
        case 0xe1...0xec, 0xee...0xef: missing = 2
        case 0xed: (missing, next) = (2, 0x80...0x9f)
        case 0xf0: (missing, next) = (3, 0x90...0xbf)
        case 0xf1...0xf3: missing = 3
        case 0xf4: (missing, next) = (3, 0x80...0x8f)
        default: return false
        }
        return true
    }
}

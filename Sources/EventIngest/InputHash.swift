internal import JSON

/// FNV-1a, 64 bits, over the kinds, names and values of a JSON value in the order of its text. The same on every
/// machine and in every run. Of a string longer than `maxStringBytes` only the beginning and the length count.
struct InputHash {
    private static let maxStringBytes = 4096

    private(set) var value: UInt64 = 0xCBF2_9CE4_8422_2325

    static func of(_ element: JSONElement) -> UInt64 {
        var hash = InputHash()
        hash.combine(element)
        return hash.value
    }

    private mutating func combine(_ element: JSONElement) {
        combine(element.kind.rawValue)
        switch element.kind {
        case .object:
            for (name, member) in element.members {
                combine(name)
                combine(member)
            }
            combine(UInt8(ascii: "}"))
        case .array:
            for item in element.elements { combine(item) }
            combine(UInt8(ascii: "]"))
        case .string: element.withUTF8 { combine($0) }
        case .integer, .unsigned, .double: combine(element.numberBits)
        case .true, .false, .null: break
        }
    }

    private mutating func combine(_ text: Span<UInt8>) {
        combine(UInt64(text.count))
        for index in 0..<min(text.count, InputHash.maxStringBytes) { combine(text[index]) }
    }

    private mutating func combine(_ word: UInt64) {
        for shift in stride(from: UInt64(0), to: 64, by: 8) { combine(UInt8(truncatingIfNeeded: word >> shift)) }
    }

    private mutating func combine(_ byte: UInt8) {
        value = (value ^ UInt64(byte)) &* 0x0000_0100_0000_01B3
    }
}

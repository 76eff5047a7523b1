internal import EventModel
internal import JSON

/// The stable hash of a JSON value, over its kinds, names and values in text order. For a string longer than
/// `maxStringBytes`, only its beginning and its length are hashed.
struct InputHash {
    private static let maxStringBytes = 4096

    private var hash = StableHash()

    static func of(_ element: JSONElement) -> UInt64 {
        var hash = InputHash()
        hash.combine(element)
        return hash.hash.value
    }

    private mutating func combine(_ element: JSONElement) {
        hash.combine(element.kind.rawValue)
        switch element.kind {
        case .object:
            for (name, member) in element.members {
                combine(name)
                combine(member)
            }
            hash.combine(UInt8(ascii: "}"))
        case .array:
            for item in element.elements { combine(item) }
            hash.combine(UInt8(ascii: "]"))
        case .string: element.withUTF8 { combine($0) }
        case .integer, .unsigned, .double: hash.combine(element.numberBits)
        case .true, .false, .null: break
        }
    }

    private mutating func combine(_ text: Span<UInt8>) {
        hash.combine(UInt64(text.count))
        hash.combine(text.extracting(first: Self.maxStringBytes))
    }
}

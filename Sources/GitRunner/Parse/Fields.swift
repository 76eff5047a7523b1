/// Fields that a byte ends.
struct Fields {
    private var rest: ArraySlice<UInt8>
    private let end: UInt8

    init(_ bytes: [UInt8], end: UInt8 = 0) { (rest, self.end) = (bytes[...], end) }

    /// nil at the end of the text. A last field that nothing ends was cut, so it does not count.
    mutating func next() -> ArraySlice<UInt8>? {
        guard let index = rest.firstIndex(of: end) else { return nil }
        defer { rest = rest[(index + 1)...] }
        return rest[..<index]
    }

    mutating func text() -> String? { next().map { String(decoding: $0, as: UTF8.self) } }
}

extension ArraySlice<UInt8> {
    /// The first words, and what follows them.
    func words(_ count: Int) -> [ArraySlice<UInt8>] {
        split(separator: UInt8(ascii: " "), maxSplits: count - 1, omittingEmptySubsequences: false)
    }
}

func decoded(_ bytes: some Collection<UInt8>) -> String { String(decoding: bytes, as: UTF8.self) }

/// A pattern of a row, in which `*` stands for any bytes.
struct RiskPattern: Sendable {
    private let parts: [[UInt8]]
    /// The components of a pattern for paths, and whether they may be below any directory.
    let pathParts: [[UInt8]]
    let isFloating: Bool
    /// Whether the pattern begins with a hyphen.
    let isOption: Bool

    init(_ text: some Sequence<UInt8>) {
        let text = Array(text)
        let star = UInt8(ascii: "*")
        parts = text.split(separator: star, omittingEmptySubsequences: false).map(Array.init)
        isFloating = text.first == star
        isOption = text.first == UInt8(ascii: "-")
        let isUnder = text.starts(with: "*/".utf8)
        let path = text.dropFirst(isUnder ? 2 : text.first == UInt8(ascii: "/") ? 1 : 0)
        pathParts = path.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false).map(Array.init)
    }

    /// Whether the pattern is this text, without a `*`.
    func isExactly(_ text: [UInt8]) -> Bool { parts == [text] }

    func matches(_ subject: [UInt8]) -> Bool {
        guard parts.count > 1, let first = parts.first, let last = parts.last else { return subject == parts.first }
        guard RiskPattern.has(first, at: 0, of: subject) else { return false }
        var position = first.count
        for part in parts[1..<(parts.count - 1)] {
            while !RiskPattern.has(part, at: position, of: subject) {
                position += 1
                if position + part.count > subject.count { return false }
            }
            position += part.count
        }
        let end = subject.count - last.count
        return end >= position && RiskPattern.has(last, at: end, of: subject)
    }

    private static func has(_ part: [UInt8], at position: Int, of subject: [UInt8]) -> Bool {
        guard position + part.count <= subject.count else { return false }
        for offset in part.indices where subject[position + offset] != part[offset] { return false }
        return true
    }
}

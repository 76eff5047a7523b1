/// A pattern in which `*` stands for any bytes.
struct RiskPattern: Sendable {
    private let parts: [[UInt8]]

    init(_ text: some Sequence<UInt8>) {
        parts = Array(text).split(separator: UInt8(ascii: "*"), omittingEmptySubsequences: false).map(Array.init)
    }

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

    /// Whether the pattern begins with a hyphen.
    var isOption: Bool { parts.first?.first == UInt8(ascii: "-") }
}

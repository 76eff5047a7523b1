/// A pattern in which `*` stands for any bytes.
struct RiskPattern: Sendable {
    private let parts: [[UInt8]]

    init(_ text: some Sequence<UInt8>) {
        parts = Array(text).split(separator: UInt8(ascii: "*"), omittingEmptySubsequences: false).map(Array.init)
    }

    func matches(_ subject: [UInt8]) -> Bool {
        guard parts.count > 1, let first = parts.first, let last = parts.last else { return subject == parts.first }
        guard subject.starts(with: first) else { return false }
        var rest = subject[first.count...]
        for part in parts[1..<(parts.count - 1)] where !part.isEmpty {
            guard let found = rest.firstRange(of: part) else { return false }
            rest = rest[found.upperBound...]
        }
        return rest.count >= last.count && rest.suffix(last.count).elementsEqual(last)
    }

    /// What it stands for if it has no `*`.
    var isOption: Bool { parts.first?.first == UInt8(ascii: "-") }
}

internal import Synchronization

/// A version of Claude Code or of the machine's agent: numbers separated by points.
public struct ClientVersion: Sendable, Equatable, Comparable, CustomStringConvertible {
    private let numbers: [Int]

    /// Returns `nil` for other text, such as `2.1.0-beta`.
    public init?(_ text: String) {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        let numbers = parts.compactMap { part in
            (1...9).contains(part.utf8.count) && part.utf8.allSatisfy { (48...57).contains($0) } ? Int(part) : nil
        }
        guard (1...4).contains(parts.count), numbers.count == parts.count else { return nil }
        self.numbers = numbers
    }

    public var description: String { numbers.map(String.init).joined(separator: ".") }

    public static func < (one: ClientVersion, other: ClientVersion) -> Bool {
        one.numbers.lexicographicallyPrecedes(other.numbers)
    }
}

/// The newest version of Claude Code that machines have reported. Any thread.
public final class ClientVersions: Sendable {
    private let latest = Mutex<ClientVersion?>(nil)

    public init() {}

    public var newest: ClientVersion? { latest.withLock { $0 } }

    public func heard(_ version: ClientVersion) {
        latest.withLock { latest in latest = latest.map { max($0, version) } ?? version }
    }
}

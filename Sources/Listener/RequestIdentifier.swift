/// Makes the ids that are returned as `X-Request-Id`: the client's own if it is safe to repeat, otherwise one that is
/// unique in the process.
struct RequestIdentifier {
    private let prefix: String
    private var next: UInt64 = 0

    /// `seed` distinguishes loops and runs.
    init(seed: UInt64) {
        prefix = "req_" + String(seed, radix: 36) + "-"
    }

    mutating func identifier(clients: String?) -> String {
        if let clients, Self.isHarmless(clients) { return clients }
        next += 1
        return prefix + String(next, radix: 36)
    }

    /// 1 to 64 of `[A-Za-z0-9._-]`, which cannot end a header or confuse a log.
    static func isHarmless(_ text: String) -> Bool {
        (1...64).contains(text.utf8.count)
            && text.utf8.allSatisfy {
                (48...57).contains($0) || (65...90).contains($0) || (97...122).contains($0)
                    || $0 == 45 || $0 == 46 || $0 == 95
            }
    }
}

/// Delays between attempts to reconnect: 1 s doubling to 30 s, each randomized over its upper half so that many
/// clients do not reconnect at the same time.
struct Backoff {
    private var attempt = 0

    static let first = 1.0
    static let ceiling = 30.0

    /// - Parameter random: 0..<1.
    /// - Returns: seconds.
    mutating func next(random: Double) -> Double {
        let full = min(Backoff.ceiling, Backoff.first * Double(1 << min(attempt, 5)))
        attempt += 1
        return full * (0.5 + random / 2)
    }

    mutating func reset() {
        attempt = 0
    }
}

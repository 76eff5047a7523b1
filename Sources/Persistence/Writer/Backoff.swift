/// Growing pauses between attempts to connect: 100 ms doubled up to 5 s, less a random part of up to a half, so that
/// several nodes do not come back at the same moment.
struct Backoff {
    static let shortest = 0.1
    static let longest = 5.0

    private var ceiling = shortest

    /// Seconds to wait before the next attempt.
    mutating func next(using random: inout some RandomNumberGenerator) -> Double {
        let pause = Double.random(in: (ceiling / 2)...ceiling, using: &random)
        ceiling = min(ceiling * 2, Backoff.longest)
        return pause
    }

    mutating func reset() {
        ceiling = Backoff.shortest
    }
}

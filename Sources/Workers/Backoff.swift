/// Growing pauses between attempts to connect: each twice as long as the last, within `range` of seconds, less a random
/// part of up to a half, so that several servers do not come back at the same moment.
public struct Backoff: Sendable {
    public let range: ClosedRange<Double>
    private var ceiling: Double

    public init(_ range: ClosedRange<Double>) {
        self.range = range
        ceiling = range.lowerBound
    }

    /// Seconds to wait before the next attempt.
    public mutating func next(using random: inout some RandomNumberGenerator) -> Double {
        let pause = Double.random(in: (ceiling / 2)...ceiling, using: &random)
        ceiling = min(ceiling * 2, range.upperBound)
        return pause
    }

    public mutating func reset() {
        ceiling = range.lowerBound
    }
}

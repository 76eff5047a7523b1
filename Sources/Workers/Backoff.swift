/// Growing pauses between attempts. Each is twice as long as the one before, within `range`, in seconds.
package struct Backoff: Sendable, Equatable {
    package let range: ClosedRange<Double>
    private var pause: Double

    package init(_ range: ClosedRange<Double>) {
        self.range = range
        pause = range.lowerBound
    }

    /// Seconds to wait before the next attempt.
    package mutating func next() -> Double {
        defer { pause = min(pause * 2, range.upperBound) }
        return pause
    }

    /// Seconds to wait before the next attempt, reduced by a random part of up to a half, so that several clients of
    /// one server do not retry at the same moment.
    package mutating func next(using random: inout some RandomNumberGenerator) -> Double {
        let longest = next()
        return .random(in: (longest / 2)...longest, using: &random)
    }

    /// Makes the next pause the shortest again.
    package mutating func reset() {
        pause = range.lowerBound
    }
}

/// Growing pauses between attempts to connect, less a random part of up to a half, so that many servers do not come
/// back at the same moment. Times are the monotonic clock's.
struct ReconnectBackoff: Sendable {
    private let range: ClosedRange<Double>
    private var pause: Double
    /// No attempt before it.
    private(set) var nextAttempt = -Double.infinity

    init(_ range: ClosedRange<Double>) {
        self.range = range
        pause = range.lowerBound
    }

    mutating func failed(now: Double, using random: inout some RandomNumberGenerator) {
        nextAttempt = now + Double.random(in: (pause / 2)...pause, using: &random)
        pause = min(pause * 2, range.upperBound)
    }

    /// A connection has answered a push.
    mutating func succeeded() {
        pause = range.lowerBound
        nextAttempt = -.infinity
    }
}

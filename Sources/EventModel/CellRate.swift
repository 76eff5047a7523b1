/// A rate of requests per second, and the burst allowed after a pause.
public struct RateLimit: Sendable, Hashable {
    /// Above 0.
    public var requestsPerSecond: Double
    /// At least 1.
    public var burst: Int

    public init(requestsPerSecond: Double, burst: Int) {
        self.requestsPerSecond = requestsPerSecond
        self.burst = burst
    }

    var interval: Double { 1 / requestsPerSecond }
}

/// The generic cell rate algorithm (ITU-T I.371): its state is a single time, its waiting times are exact.
public struct CellRate: Sendable {
    /// When the bucket will be empty again.
    private var emptyAt = Timestamp(microseconds: 0)

    public init() {}

    /// Takes the requests together, or none of them.
    public mutating func take(_ limit: RateLimit, requests: Int = 1, now: Timestamp) -> RateVerdict {
        ask(limit, now: now, requests: requests)
    }

    /// Refunds one request.
    public mutating func giveBack(_ limit: RateLimit) {
        emptyAt = emptyAt.adding(seconds: -limit.interval)
    }

    /// The level of the bucket. Takes nothing.
    public func peek(_ limit: RateLimit, now: Timestamp) -> RateVerdict {
        var copy = self
        return copy.ask(limit, now: now, requests: 0)
    }

    private mutating func ask(_ limit: RateLimit, now: Timestamp, requests: Int) -> RateVerdict {
        let capacity = Double(limit.burst) * limit.interval
        var backlog = max(0, emptyAt.seconds(since: now))
        // Only a clock that was set back leaves more than a full bucket.
        if backlog > capacity { backlog = 0 }
        let filled = backlog + Double(requests) * limit.interval
        // Tolerates half a microsecond, because the clock has a resolution of one.
        let allowed = filled <= capacity + 0.000_000_5
        if allowed { emptyAt = now.adding(seconds: filled) }
        let level = allowed ? filled : backlog
        return RateVerdict(
            limit: limit.burst,
            remaining: max(0, Int(((capacity - level) / limit.interval + 0.000_001).rounded(.down))),
            resetAfter: level,
            resetAt: now.adding(seconds: level),
            retryAfter: allowed ? nil : filled - capacity
        )
    }
}

/// The rate limit's decision on one request.
public struct RateVerdict: Sendable {
    public var limit: Int
    public var remaining: Int
    /// Seconds until the whole burst is available again.
    public var resetAfter: Double
    public var resetAt: Timestamp
    /// Seconds to wait, or `nil` if the request is allowed.
    public var retryAfter: Double?

    public var isAllowed: Bool { retryAfter == nil }
}

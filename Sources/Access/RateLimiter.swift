public import EventModel
public import HTTPModel
internal import Synchronization

/// A rate of requests per second for each credential, and the burst allowed after a pause.
public struct RateLimit: Sendable, Equatable {
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

/// The generic cell rate algorithm (ITU-T I.371): one time per credential, exact waiting times.
struct CellRate: Sendable {
    /// When the bucket will be empty again.
    private var emptyAt = Timestamp(microseconds: 0)

    mutating func take(_ limit: RateLimit, now: Timestamp) -> RateVerdict {
        ask(limit, now: now, cells: 1)
    }

    /// Refunds one request.
    mutating func giveBack(_ limit: RateLimit) {
        emptyAt = emptyAt.adding(seconds: -limit.interval)
    }

    /// The level of the bucket. Takes nothing.
    func peek(_ limit: RateLimit, now: Timestamp) -> RateVerdict {
        var copy = self
        return copy.ask(limit, now: now, cells: 0)
    }

    private mutating func ask(_ limit: RateLimit, now: Timestamp, cells: Double) -> RateVerdict {
        let capacity = Double(limit.burst) * limit.interval
        var backlog = max(0, emptyAt.seconds(since: now))
        // Only a clock that was set back leaves more than a full bucket.
        if backlog > capacity { backlog = 0 }
        let filled = backlog + cells * limit.interval
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

    public static let headerNames =
        "x-ratelimit-limit, x-ratelimit-remaining, x-ratelimit-reset, x-ratelimit-reset-after"

    public var headers: [(name: String, value: String)] {
        [
            ("x-ratelimit-limit", String(limit)),
            ("x-ratelimit-remaining", String(remaining)),
            ("x-ratelimit-reset", String(Int(resetAt.microseconds / 1_000_000))),
            ("x-ratelimit-reset-after", String(Int(resetAfter.rounded(.up)))),
        ]
    }

    /// The error for a request that must wait.
    public var error: APIError? {
        retryAfter.map { seconds in
            APIError(
                .rateLimit,
                status: 429,
                code: "rate_limit_exceeded",
                message: "Too many requests for this credential.",
                retryAfter: max(1, Int(seconds.rounded(.up)))
            )
        }
    }
}

/// One bucket per machine key. The number of keys bounds the number of buckets, so none is evicted.
public final class RateLimiter: Sendable {
    private let limit: RateLimit?
    private let buckets = Mutex<[Int64: CellRate]>([:])

    /// `nil` disables the limit.
    public init(limit: RateLimit?) {
        self.limit = limit
    }

    /// Returns `nil` if no limit is set.
    public func take(keyID: Int64, now: Timestamp) -> RateVerdict? {
        guard let limit else { return nil }
        return buckets.withLock { $0[keyID, default: CellRate()].take(limit, now: now) }
    }

    /// The current state for the headers of an answer. Takes nothing.
    public func peek(keyID: Int64, now: Timestamp) -> RateVerdict? {
        guard let limit else { return nil }
        return buckets.withLock { $0[keyID, default: CellRate()].peek(limit, now: now) }
    }
}

public import EventModel
public import HTTPModel
internal import Synchronization

extension RateVerdict {
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

package import EventModel

/// When a delivery that failed is tried again. No wait outlasts the delivery: if there is no time for an attempt, it
/// expires.
package enum RetryTime {
    /// Why a delivery waits.
    package enum Wait: Sendable, Equatable {
        /// The server's own choice. It is shortened to allow a last attempt before the delivery expires.
        case own(until: Timestamp)
        /// The receiver refuses attempts before this time.
        case asked(until: Timestamp)
        /// The channel's pause. It ends when the channel recovers.
        case breaker(until: Timestamp)
    }

    /// Seconds before the expiry at which the last attempt starts.
    static let lastTrySeconds = 5.0
    /// Maximum backoff in seconds.
    static let longestBackOff = 300.0

    /// Returns `nil` if the delivery expires.
    package static func of(_ wait: Wait, expiresAt end: Timestamp, now: Timestamp) -> Timestamp? {
        switch wait {
        case .own(let until):
            guard until >= end else { return until }
            let last = end.adding(seconds: -lastTrySeconds)
            return last > now.adding(seconds: 1) ? last : nil
        case .asked(let until): return until < end ? until : nil
        case .breaker(let until): return end > now ? min(until, end) : nil
        }
    }

    /// Seconds: `first`, doubled for each retry that the receiver has requested.
    package static func backOff(from first: Double, retries: Int64) -> Double {
        let grown = first * Double(1 << min(max(retries, 0), 10))
        return min(grown, max(first, longestBackOff))
    }
}

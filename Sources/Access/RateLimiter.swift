package import EventModel
package import HTTPModel
internal import Synchronization

extension RateVerdict {
    package static let headerNames =
        "x-ratelimit-limit, x-ratelimit-remaining, x-ratelimit-reset, x-ratelimit-reset-after"

    package var headers: [(name: String, value: String)] {
        [
            ("x-ratelimit-limit", String(limit)),
            ("x-ratelimit-remaining", String(remaining)),
            ("x-ratelimit-reset", String(Int(resetAt.microseconds / 1_000_000))),
            ("x-ratelimit-reset-after", String(Int(resetAfter.rounded(.up)))),
        ]
    }

    /// The error for a request that must wait.
    package var error: APIError? {
        retryAfter.map { seconds in
            var error = APIError(
                .rateLimit,
                status: 429,
                code: "rate_limit_exceeded",
                message: "Too many requests for this credential.",
                retryAfter: max(1, Int(seconds.rounded(.up)))
            )
            error.headers = Dictionary(headers, uniquingKeysWith: { first, _ in first })
            return error
        }
    }
}

/// A credential whose requests are counted.
package enum LimitedCredential: Hashable, Sendable {
    case key(Int64)
    case device(DeviceID)
    /// The key's own limit takes the place of the general one. It never changes.
    case apiKey(Int64, limit: RateLimit?)
}

extension Principal {
    /// `nil` for the operator, who is not limited.
    package var limitedCredential: LimitedCredential? {
        switch holder {
        case .machine(let grant): grant.keyID.map(LimitedCredential.key)
        case .device(let claims, _): .device(claims.device)
        case .apiKey(let key): .apiKey(key.id, limit: key.rate)
        case .admin: nil
        }
    }
}

/// One bucket for each machine key, device and API key. Their number bounds the number of buckets, so none is evicted.
package final class RateLimiter: Sendable {
    private let machines: RateLimit?
    private let clients: RateLimit?
    private let buckets = Mutex<[LimitedCredential: CellRate]>([:])

    /// - Parameters:
    ///   - machines: of each machine key; `nil` means none.
    ///   - clients: of each device, and of each API key that has none of its own; `nil` means none.
    package init(machines: RateLimit?, clients: RateLimit?) {
        (self.machines, self.clients) = (machines, clients)
    }

    /// Takes the requests together, or none of them. Returns `nil` if no limit is set.
    package func take(_ credential: LimitedCredential, requests: Int = 1, now: Timestamp) -> RateVerdict? {
        guard let limit = limit(of: credential) else { return nil }
        return buckets.withLock { $0[credential, default: CellRate()].take(limit, requests: requests, now: now) }
    }

    /// The current state for the headers of an answer. Takes nothing.
    package func peek(_ credential: LimitedCredential, now: Timestamp) -> RateVerdict? {
        guard let limit = limit(of: credential) else { return nil }
        return buckets.withLock { $0[credential, default: CellRate()].peek(limit, now: now) }
    }

    /// A client's full bucket, for a sender who is not limited.
    package func full(now: Timestamp) -> RateVerdict? { clients.map { CellRate().peek($0, now: now) } }

    private func limit(of credential: LimitedCredential) -> RateLimit? {
        switch credential {
        case .key: machines
        case .device: clients
        case .apiKey(_, let own): own ?? clients
        }
    }
}

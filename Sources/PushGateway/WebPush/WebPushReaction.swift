/// What an answer asks for, in four independent respects.
public struct WebPushReaction: Sendable, Equatable {
    public enum Subscription: Sendable, Equatable {
        /// Proven good just now.
        case confirmed
        case keep
        /// It was made for another public key than ours and takes nothing any more; the browser has to subscribe again.
        case quarantine
        /// Its push service no longer knows it.
        case drop
    }

    /// Something a person or the code must put right, named for breakers and alarms.
    public enum Fault: Sendable, Equatable {
        /// The request was malformed although it was checked.
        case request
        case payload
        /// The service does not take our tokens: subject, clock or key.
        case key
        /// An answer that the protocol does not have.
        case unexpected
    }

    public var retry = PushRetry.never
    public var subscription = Subscription.keep
    public var connection = PushConnectionVerdict.keep
    public var fault: Fault?

    /// Seconds before the first other try, without a Retry-After.
    static let throttledWait = 60
    static let serverFailureWait = 5

    /// - Parameter retryAfter: the answer's header: how long to wait, longer or shorter than without it.
    public static func of(status: Int, reason: String? = nil, retryAfter: Int? = nil) -> WebPushReaction {
        switch status {
        case 200..<300: return WebPushReaction(subscription: .confirmed)
        case 401, 403: return ofTokenRefusal(reason)
        case 404, 410: return WebPushReaction(subscription: .drop)
        case 408, 425: return WebPushReaction(retry: .later(asked: retryAfter, from: throttledWait))
        case 413: return WebPushReaction(retry: .onceSmaller, fault: .payload)
        // The connection was made for another name.
        case 421: return WebPushReaction(retry: .onceElsewhere, connection: .retire)
        // Windows' service says 406 where others say 429.
        case 406, 429: return WebPushReaction(retry: .later(asked: retryAfter, from: throttledWait))
        case 400..<500: return isKeyMismatch(reason) ? ofTokenRefusal(reason) : WebPushReaction(fault: .request)
        case 500..<600: return WebPushReaction(retry: .later(asked: retryAfter, from: serverFailureWait))
        default: return WebPushReaction(fault: .unexpected)
        }
    }

    /// A token is not made anew for a refusal: Apple wants none younger than an hour replaced, and the next would be
    /// refused for the same cause.
    private static func ofTokenRefusal(_ reason: String?) -> WebPushReaction {
        WebPushReaction(subscription: isKeyMismatch(reason) ? .quarantine : .keep, fault: .key)
    }

    /// Apple's `VapidPkHashMismatch`, and the sentence of Google's service.
    private static func isKeyMismatch(_ reason: String?) -> Bool {
        guard let reason else { return false }
        return reason == "VapidPkHashMismatch" || reason.contains("do not correspond to the credentials")
    }
}

/// How a push to a browser ended.
public typealias WebPushOutcome = PushOutcome<WebPushAnswer, WebPushReaction>

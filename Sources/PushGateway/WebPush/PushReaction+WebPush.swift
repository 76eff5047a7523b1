extension PushReaction {
    /// - Parameter retryAfter: the answer's header: how long to wait, longer or shorter than without it.
    public static func webPush(status: Int, reason: String? = nil, retryAfter: Int? = nil) -> PushReaction {
        switch status {
        case 200..<300: return PushReaction(token: .confirmed)
        case 401, 403: return ofTokenRefusal(reason)
        case 404, 410: return PushReaction(token: .drop)
        case 408, 425: return PushReaction(retry: .later(asked: retryAfter, from: throttledWait))
        case 413: return PushReaction(retry: .onceSmaller, fault: .payload)
        // The connection was made for another name.
        case 421: return PushReaction(retry: .onceElsewhere, connection: .retire)
        // Windows' service says 406 where others say 429.
        case 406, 429: return PushReaction(retry: .later(asked: retryAfter, from: throttledWait))
        case 400..<500: return isKeyMismatch(reason) ? ofTokenRefusal(reason) : PushReaction(fault: .request)
        case 500..<600: return PushReaction(retry: .later(asked: retryAfter, from: serverFailureWait))
        default: return PushReaction(fault: .unexpected)
        }
    }

    /// A token is not made anew for a refusal: Apple wants none younger than an hour replaced, and the next would be
    /// refused for the same cause.
    private static func ofTokenRefusal(_ reason: String?) -> PushReaction {
        PushReaction(token: isKeyMismatch(reason) ? .quarantine : .keep, fault: .key)
    }

    /// Apple's `VapidPkHashMismatch`, and the sentence of Google's service.
    private static func isKeyMismatch(_ reason: String?) -> Bool {
        guard let reason else { return false }
        return reason == "VapidPkHashMismatch" || reason.contains("do not correspond to the credentials")
    }
}

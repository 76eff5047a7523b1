extension PushReaction {
    /// - Parameter retryAfter: the answer's header. It replaces the default wait, whether longer or shorter.
    public static func webPush(status: Int, reason: String? = nil, retryAfter: Int? = nil) -> PushReaction {
        switch status {
        case 200..<300: return PushReaction(token: .confirmed)
        case 401, 403: return ofTokenRefusal(reason)
        case 404, 410: return PushReaction(token: .drop)
        case 408, 425: return PushReaction(retry: .later(asked: retryAfter, from: throttledWait))
        case 413: return PushReaction(retry: .onceSmaller, fault: .payload)
        // The connection was opened for another name.
        case 421: return PushReaction(retry: .onceElsewhere, connection: .retire)
        // Windows' service sends 406 when other services send 429.
        case 406, 429: return PushReaction(retry: .later(asked: retryAfter, from: throttledWait))
        case 400..<500: return isKeyMismatch(reason) ? ofTokenRefusal(reason) : PushReaction(fault: .request)
        case 500..<600: return PushReaction(retry: .later(asked: retryAfter, from: serverFailureWait))
        default: return PushReaction(fault: .unexpected)
        }
    }

    /// A refusal does not cause a new token: Apple does not allow a token younger than an hour to be replaced, and a
    /// new one would be refused for the same reason.
    private static func ofTokenRefusal(_ reason: String?) -> PushReaction {
        PushReaction(token: isKeyMismatch(reason) ? .quarantine : .keep, fault: .key)
    }

    /// Apple's `VapidPkHashMismatch`, or the error text of Google's service.
    private static func isKeyMismatch(_ reason: String?) -> Bool {
        guard let reason else { return false }
        return reason == "VapidPkHashMismatch" || reason.contains("do not correspond to the credentials")
    }
}

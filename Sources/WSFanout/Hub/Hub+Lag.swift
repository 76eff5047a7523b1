/// How far the subscribers of one transport are behind the log.
public struct SubscriberLag: Sendable, Equatable {
    public init() {}

    /// With a subscription, live or behind.
    public internal(set) var following = 0
    public internal(set) var behind = 0
    /// Events of the log between the one that is furthest behind and the head, matching its filter or not.
    public internal(set) var longest: Int64 = 0
}

extension Hub {
    /// Visits every subscriber: for once a second.
    public func lags() -> [Transport: SubscriberLag] {
        var lags: [Transport: SubscriberLag] = [:]
        for subscription in subscriptions.values where subscription.feed != nil {
            var lag = lags[subscription.transport] ?? SubscriberLag()
            lag.following += 1
            if case .behind(let cursor, _) = subscription.progress {
                lag.behind += 1
                lag.longest = max(lag.longest, window.head - cursor)
            }
            lags[subscription.transport] = lag
        }
        return lags
    }
}

/// How far the subscribers of one transport lag behind the log.
public struct SubscriberLag: Sendable, Equatable {
    public init() {}

    /// Subscribers with a subscription, live or behind.
    public internal(set) var following = 0
    public internal(set) var behind = 0
    /// Number of log events between the slowest subscriber and the head, whether or not they match its filter.
    public internal(set) var longest: Int64 = 0
}

extension Hub {
    /// Visits every subscriber. Call at most once a second.
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

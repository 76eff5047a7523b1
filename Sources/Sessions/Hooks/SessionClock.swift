package import EventModel

/// Determines the times of one session's events.
///
/// The time is the sender's, or the time of receipt if the sender's clock is far ahead of the server's. If the server's
/// clock is set back, correct senders seem to be ahead. The clock notices this, because the time of receipt goes back
/// as well, and goes on with the sender's times.
package struct SessionClock: Sendable, Equatable {
    /// Two servers' clocks may differ by this number of seconds.
    private static let serverSkewSeconds = 1.0
    /// An event that the server created has its time of receipt, up to rounding.
    private static let roundingSeconds = 0.01

    /// When the latest hook's event was received. `nil` if that event did not get its sender's time.
    var receivedAt: Timestamp?
    /// The number of seconds by which the server's clock is known to be behind.
    var serverIsBehind = 0.0

    package init() {}

    /// Returns the time of the session's next event. Must be called once for each event, in log order.
    package mutating func time(of event: MonitorEvent) -> Timestamp {
        let ahead = event.secondsAhead
        guard event.hookEventName != nil else {
            let isByServer = event.facts.report == nil && abs(ahead) <= SessionClock.roundingSeconds
            return isByServer ? event.timestamp.adding(seconds: serverIsBehind) : trusted(event) ?? event.receivedAt
        }
        if let receivedAt, trusted(event) == nil,
            receivedAt.seconds(since: event.receivedAt) > SessionClock.serverSkewSeconds
        {
            serverIsBehind = ahead
        } else if ahead <= MonitorEvent.clockToleranceSeconds {
            serverIsBehind = 0
        }
        let time = trusted(event)
        receivedAt = time == nil ? nil : event.receivedAt
        return time ?? event.receivedAt
    }

    /// The sender's time, unless it is too far ahead.
    private func trusted(_ event: MonitorEvent) -> Timestamp? {
        event.secondsAhead <= serverIsBehind + MonitorEvent.clockToleranceSeconds ? event.timestamp : nil
    }
}

extension MonitorEvent {
    /// The number of seconds that a sender's clock may be ahead of the server's. If it is further ahead, it is wrong,
    /// and the time of receipt is used.
    fileprivate static let clockToleranceSeconds = 300.0

    fileprivate var secondsAhead: Double { timestamp.seconds(since: receivedAt) }

    /// Whether the sender's clock seems to be wrong.
    var isAheadOfServer: Bool { secondsAhead > MonitorEvent.clockToleranceSeconds }

    /// The time of the event, as far as the event alone shows it.
    var sessionTime: Timestamp { isAheadOfServer ? receivedAt : timestamp }
}

public import EventModel

/// Places the events of one session in time, in log order.
///
/// The time is the sender's, or the server's if the sender's clock is far ahead. The server's clock may be set back.
/// An event with the server's time would then precede the events that the session has sent before it.
public struct SessionClock: Sendable, Equatable {
    /// The latest time of a hook's event. The server's own events do not count: its clock may have been ahead of the
    /// machine's.
    var latest: Timestamp?

    public init() {}

    /// Returns the time of the session's next event. Must be called once for each event.
    public mutating func time(of event: MonitorEvent) -> Timestamp {
        var time = event.sessionTime
        // No event is later than its receipt by more than the tolerance, so an earlier receipt was later than this one.
        if time == event.receivedAt, let latest, latest.seconds(since: time) > MonitorEvent.clockToleranceSeconds {
            time = Timestamp(microseconds: latest.microseconds + 1)
        }
        if event.hookEventName != nil { latest = max(latest ?? time, time) }
        return time
    }
}

extension MonitorEvent {
    /// The number of seconds that a sender's clock may be ahead of the server's. If it is further ahead, it is wrong,
    /// and the time of receipt is used.
    fileprivate static let clockToleranceSeconds = 300.0

    /// The time of the event on its session's own clock, as far as the event alone shows it.
    var sessionTime: Timestamp {
        timestamp.seconds(since: receivedAt) <= MonitorEvent.clockToleranceSeconds ? timestamp : receivedAt
    }
}

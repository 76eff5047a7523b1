import EventModel

/// When the next heartbeats are due.
struct HeartbeatSchedule {
    private var webSocket: Timestamp
    private var eventStream: Timestamp
    private let limits: HubLimits
    private(set) var number: Int64 = 0

    init(limits: HubLimits, now: Timestamp) {
        self.limits = limits
        webSocket = now.adding(seconds: limits.webSocketHeartbeatSeconds)
        eventStream = now.adding(seconds: limits.eventStreamHeartbeatSeconds)
    }

    /// Missed heartbeats are skipped. Setting the clock back does not delay them.
    mutating func due(at now: Timestamp) -> (webSocket: Bool, eventStream: Bool) {
        webSocket = min(webSocket, now.adding(seconds: limits.webSocketHeartbeatSeconds))
        eventStream = min(eventStream, now.adding(seconds: limits.eventStreamHeartbeatSeconds))
        let due = (webSocket: now >= webSocket, eventStream: now >= eventStream)
        if due.webSocket {
            number += 1
            webSocket = now.adding(seconds: limits.webSocketHeartbeatSeconds)
        }
        if due.eventStream { eventStream = now.adding(seconds: limits.eventStreamHeartbeatSeconds) }
        return due
    }
}

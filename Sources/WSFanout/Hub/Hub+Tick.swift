public import EventModel

extension Hub {
    /// About once a second: heartbeats, sockets that take nothing, and another try where the store was away.
    ///
    /// - Parameters:
    ///   - now: by a clock that is never set.
    ///   - time: of the day, for the heartbeats.
    public func tick(now: Timestamp, time: Timestamp, report: HeartbeatReport) {
        self.now = now
        self.time = time
        for (subscriber, since) in blocked where now.seconds(since: since) >= limits.stallSeconds {
            expel(subscriber, .tooSlow)
        }
        isStoreAway = false
        serveLine()

        let due = heartbeats.due(at: now)
        if due.webSocket {
            let heartbeat = Heartbeat(time: time, number: heartbeats.number, report: report)
            broadcast(heartbeat.notification) { $0 == .jsonRPC }
            broadcast(heartbeat.frame) { $0 == .dialect || $0 == .plainWebSocket }
        }
        if due.eventStream { broadcast(ServerSentEvents.heartbeat) { $0 == .serverSentEvents } }
        sendNotices()
    }

    /// Blocked sockets are left out: what waits for them is a sign of life already.
    private func broadcast(_ bytes: [UInt8], where isMeant: (Transport) -> Bool) {
        let meant = subscriptions.filter { isMeant($0.value.transport) && blocked[$0.key] == nil }
        metrics.heartbeats += Int64(meant.count)
        for (subscriber, result) in output.send(bytes, toAll: meant.keys.sorted()) { note(result, of: subscriber) }
    }
}

public import EventModel

extension Hub {
    /// Call about once a second. Sends heartbeats, closes stalled sockets, and retries after a store failure.
    ///
    /// - Parameters:
    ///   - now: from a monotonic clock.
    ///   - time: the wall clock's time, for the heartbeats.
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
            broadcast(heartbeat.frame) { $0.isDialect || $0 == .plainWebSocket }
        }
        if due.eventStream { broadcast(ServerSentEvents.heartbeat) { $0 == .serverSentEvents } }
        sendNotices()
    }

    /// Skips blocked sockets: the bytes that wait for them keep them alive.
    private func broadcast(_ bytes: [UInt8], where isMeant: (Transport) -> Bool) {
        let meant = subscriptions.filter { isMeant($0.value.transport) && blocked[$0.key] == nil }
        metrics.heartbeats += Int64(meant.count)
        for (subscriber, result) in output.send(bytes, toAll: meant.keys.sorted()) { note(result, of: subscriber) }
    }
}

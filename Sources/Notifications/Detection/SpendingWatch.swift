internal import EventModel
internal import JSON
internal import Sessions

/// The cost of all sessions on one day. A few numbers, stored with the detector's log position.
struct SpendingWatch: Sendable, Equatable {
    /// Days since 1970-01-01 in the day's own time zone.
    var day: Int64 = 0
    var total = 0.0

    init() {}

    func stored() -> [UInt8] {
        var writer = JSONWriter(reserving: 64)
        writer.beginObject()
        writer.field("day", day)
        writer.field("total", total)
        writer.endObject()
        return writer.bytes
    }

    /// Returns `nil` if `stored` was not written by `stored()`.
    init?(stored: [UInt8]) {
        guard let json = try? JSONValue.parse(stored), let day = json["day"]?.integer,
            let total = json["total"]?.double
        else { return nil }
        self.day = day
        self.total = total
    }

    /// Raises one notice for the highest threshold that was crossed. Ignores costs of past days.
    mutating func take(_ hook: HookEvent, rules: DetectorRules) -> [NotificationAction] {
        add(hook.costUSD ?? 0, at: hook.time, hook.committed, rules)
    }

    /// The cost of the requests that telemetry reports, each once.
    mutating func take(
        _ report: SessionReport,
        of event: CommittedEvent,
        rules: DetectorRules
    ) -> [NotificationAction] {
        let costs = report.requests.lazy.filter { $0.source == .otel }.compactMap(\.costUSD)
        return add(costs.reduce(0, +), at: event.event.timestamp, event, rules)
    }

    private mutating func add(
        _ cost: Double,
        at time: Timestamp,
        _ event: CommittedEvent,
        _ rules: DetectorRules
    ) -> [NotificationAction] {
        guard cost.isFinite, cost > 0 else { return [] }
        let today = Int64((Double(time.microseconds) / 1e6 + Double(rules.utcOffset)) / 86_400)
        if today > day { (day, total) = (today, 0) }
        guard today == day else { return [] }
        let before = total
        total = min(total + cost, 1e12)
        guard let crossed = rules.costThresholds.filter({ before < $0 && total >= $0 }).max() else { return [] }
        let name = "c:\(day):\(Int64(crossed * 100))"
        return [
            .raise(
                Notification(
                    key: name,
                    kind: .costThreshold,
                    place: NotificationPlace(),
                    seq: event.seq,
                    eventID: event.event.id,
                    raisedAt: event.event.receivedAt,
                    notBefore: event.event.receivedAt,
                    expiresAt: event.event.receivedAt.adding(seconds: NotificationKind.costThreshold.lifetimeSeconds),
                    collapseID: "c:\(day)",
                    details: NotificationDetails(costUSD: crossed)
                )
            )
        ]
    }
}

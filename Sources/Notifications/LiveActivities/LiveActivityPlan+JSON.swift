internal import EventModel
internal import JSON

extension LiveActivityPlan {
    /// Returns compact JSON. Times are microseconds since 1970.
    func stored() -> [UInt8] {
        var writer = JSONWriter(reserving: 512)
        writer.beginObject()
        writer.field("stage", stage.rawValue)
        writer.field("started", startedAt?.microseconds)
        writer.field("sent", lastSentAt?.microseconds)
        if let shown { writer.field("shown", json: shown.stored()) }
        if let waiting { writer.field("waiting", json: waiting.stored()) }
        writer.field("budget", budget.fullAt?.microseconds)
        if allowsFrequent { writer.field("frequent", true) }
        writer.endObject()
        return writer.bytes
    }

    /// Returns `nil` if `stored` was not written by `stored()`.
    init?(stored: [UInt8]) {
        guard let json = try? JSONValue.parse(stored),
            let stage = json["stage"]?.string.flatMap(Stage.init(rawValue:))
        else { return nil }
        self.init()
        self.stage = stage
        startedAt = json["started"]?.timestamp
        lastSentAt = json["sent"]?.timestamp
        shown = json["shown"].flatMap(ActivityState.init(json:))
        waiting = json["waiting"].flatMap(ActivityState.init(json:))
        budget = DeliveryBudget(fullAt: json["budget"]?.timestamp)
        allowsFrequent = json["frequent"]?.bool ?? false
    }
}

extension ActivityState {
    /// Returns compact JSON. Times are microseconds since 1970.
    func stored() -> [UInt8] {
        var writer = JSONWriter(reserving: 256)
        writer.beginObject()
        writer.field("session", place.sessionID)
        writer.field("workspace", place.workspaceID)
        writer.field("machine", place.machineName)
        writer.field("project", place.projectName)
        writer.field("phase", phase.rawValue)
        writer.field("since", since.microseconds)
        writer.field("pending", pending)
        writer.field("tool", toolName)
        writer.field("title", sessionTitle)
        writer.field("at", at.microseconds)
        writer.endObject()
        return writer.bytes
    }

    /// Returns `nil` if `stored` was not written by `stored()`.
    init?(stored: [UInt8]) {
        guard let json = try? JSONValue.parse(stored) else { return nil }
        self.init(json: json)
    }

    fileprivate init?(json: JSONValue) {
        guard let phase = json["phase"]?.string.flatMap(Phase.init(rawValue:)), let since = json["since"]?.timestamp,
            let at = json["at"]?.timestamp
        else { return nil }
        self.init(
            place: NotificationPlace(
                sessionID: json["session"]?.string,
                workspaceID: json["workspace"]?.string,
                machineName: json["machine"]?.string,
                projectName: json["project"]?.string
            ),
            phase: phase,
            since: since,
            pending: json["pending"]?.count ?? 0,
            toolName: json["tool"]?.string,
            sessionTitle: json["title"]?.string,
            at: at
        )
    }
}

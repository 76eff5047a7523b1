internal import EventModel
internal import JSON

extension Notification {
    /// Returns compact JSON for the outbox. Times are microseconds since 1970.
    func stored() -> [UInt8] {
        var writer = JSONWriter(reserving: 512)
        writer.beginObject()
        writer.field("key", key)
        writer.field("kind", kind.rawValue)
        writer.field("prompt", promptKey)
        if isReminder { writer.field("reminder", true) }
        writer.field("session", place.sessionID)
        writer.field("workspace", place.workspaceID)
        writer.field("machine", place.machineName)
        writer.field("project", place.projectName)
        writer.field("seq", seq)
        writer.field("event", eventID?.description)
        writer.field("raised", raisedAt.microseconds)
        writer.field("not_before", notBefore.microseconds)
        if unconfirmedSeconds > 0 { writer.field("unconfirmed", unconfirmedSeconds) }
        writer.field("expires", expiresAt.microseconds)
        writer.field("collapse", collapseID)
        writer.field("tool", details.toolName)
        writer.field("tool_use_id", details.toolUseID)
        writer.field("summary", details.summary)
        if details.isSummaryComplete { writer.field("complete", true) }
        writer.field("title", details.sessionTitle)
        writer.field("reason", details.reason)
        writer.field("duration", details.durationSeconds)
        writer.field("cost", details.costUSD)
        writer.field("pending", details.pending.map(Int64.init))
        writer.field("count", details.count.map(Int64.init))
        writer.field("sessions", details.sessions.map(Int64.init))
        writer.endObject()
        return writer.bytes
    }

    /// Returns `nil` if `stored` was not written by `stored()`.
    init?(stored: [UInt8]) {
        guard let json = try? JSONValue.parse(stored), let key = json["key"]?.string,
            let kind = json["kind"]?.string.flatMap(NotificationKind.init(rawValue:)),
            let raised = json["raised"]?.timestamp, let notBefore = json["not_before"]?.timestamp,
            let expires = json["expires"]?.timestamp, let collapseID = json["collapse"]?.string
        else { return nil }
        self.init(
            key: key,
            kind: kind,
            promptKey: json["prompt"]?.string,
            isReminder: json["reminder"]?.bool ?? false,
            place: NotificationPlace(
                sessionID: json["session"]?.string,
                workspaceID: json["workspace"]?.string,
                machineName: json["machine"]?.string,
                projectName: json["project"]?.string
            ),
            seq: json["seq"]?.integer ?? 0,
            eventID: json["event"]?.string.flatMap { EventID($0) },
            raisedAt: raised,
            notBefore: notBefore,
            expiresAt: expires,
            collapseID: collapseID,
            details: NotificationDetails(
                toolName: json["tool"]?.string,
                toolUseID: json["tool_use_id"]?.string,
                summary: json["summary"]?.string,
                isSummaryComplete: json["complete"]?.bool ?? false,
                sessionTitle: json["title"]?.string,
                reason: json["reason"]?.string,
                durationSeconds: json["duration"]?.double,
                costUSD: json["cost"]?.double,
                pending: json["pending"]?.count,
                count: json["count"]?.count,
                sessions: json["sessions"]?.count
            )
        )
        unconfirmedSeconds = json["unconfirmed"]?.double ?? 0
    }
}

extension JSONValue {
    var timestamp: Timestamp? { integer.map(Timestamp.init(microseconds:)) }
    var count: Int? { integer.flatMap { Int(exactly: $0) } }
}

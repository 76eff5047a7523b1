internal import EventModel
internal import JSON
internal import Masking

/// Makes events from log records and data points. A repeated record makes an event with the same id, so a client may
/// resend a batch.
struct TelemetryComposer {
    /// The sender and time of a request.
    struct Source {
        var machine: MachineID
        var machineName: String
        var now: Timestamp
    }

    /// The properties that every event has, whatever its source.
    struct Draft {
        var name: String
        var sessionID: String?
        var time: Timestamp
        var summary: String
        /// One JSON object.
        var text: [UInt8]
        var facts: SessionFacts
    }

    /// Maximum number of data points in one event, so that its payload is small enough to be stored whole.
    private static let pointsPerEvent = 100

    private let form: StoredForm
    private let parser = JSONParser()

    init(policy: ContentPolicy) {
        form = StoredForm(policy: policy)
    }

    /// Returns `nil` for a record that is not stored.
    func event(_ record: OTLPLogRecord, from source: Source) -> MonitorEvent? {
        let attributes = record.attributes
        guard let full = attributes["event.name"]?.text ?? record.body, let name = StoredForm.word(full.unprefixed),
            !TelemetryName.dropped.contains(name)
        else { return nil }
        let (session, time) = TelemetryComposer.place(record, from: source)
        var writer = JSONWriter(reserving: 1024)
        writer.beginObject()
        writer.field("event_name", name)
        writer.field("session_id", attributes["session.id"]?.text)
        writer.field("prompt_id", attributes["prompt.id"]?.text)
        writer.field("version", record.clientVersion)
        for attribute in attributes where isKept(attribute) { writer.field(attribute) }
        writer.endObject()
        return compose(
            Draft(
                name: name,
                sessionID: session,
                time: time,
                summary: TelemetrySummary.line(of: name, attributes),
                text: writer.bytes,
                facts: TelemetryFacts.facts(of: name, attributes, at: time)
            ),
            identity: "\(record.timeUnixNano) \(attributes["event.sequence"]?.integerValue ?? -1)",
            from: source
        )
    }

    /// The session and the time of a record.
    static func place(_ record: OTLPLogRecord, from source: Source) -> (session: String?, time: Timestamp) {
        let session = record.attributes["session.id"]?.text.flatMap(StoredForm.word)
        return (session, record.timeUnixNano.timestamp ?? source.now)
    }

    /// Makes an event that keeps the numbers of records that are not stored.
    func event(_ passed: RecordNumbering.PassedOver, from source: Source) -> MonitorEvent? {
        let name = "passed_over"
        var writer = JSONWriter()
        writer.beginObject()
        writer.field("event_name", name)
        writer.field("session_id", passed.session)
        writer.field("records", passed.records)
        writer.endObject()
        var facts = SessionFacts(detail: name)
        var report = SessionReport()
        report.numbers = passed.numbers
        facts.report = report
        return compose(
            Draft(
                name: name,
                sessionID: passed.session,
                time: passed.numbers.until,
                summary: "\(passed.records) records that are not stored",
                text: writer.bytes,
                facts: facts
            ),
            identity: "\(passed.numbers.first) \(passed.numbers.last) \(passed.numbers.since.microseconds)",
            from: source
        )
    }

    /// Makes one event for the points of a session at one time, or several if there are too many points.
    func events(_ points: [OTLPDataPoint], from source: Source) -> [MonitorEvent] {
        var groups: [PointGroup: [OTLPDataPoint]] = [:]
        var order: [PointGroup] = []
        for point in points {
            let session = point.attributes["session.id"]?.text.flatMap(StoredForm.word)
            var group = PointGroup(session: session, time: point.timeUnixNano)
            while groups[group]?.count ?? 0 >= TelemetryComposer.pointsPerEvent { group.part += 1 }
            if groups[group] == nil { order.append(group) }
            groups[group, default: []].append(point)
        }
        return order.compactMap { event($0, groups[$0] ?? [], from: source) }
    }

    private struct PointGroup: Hashable {
        var session: String?
        var time: UInt64
        var part = 0
    }

    private func event(_ group: PointGroup, _ points: [OTLPDataPoint], from source: Source) -> MonitorEvent? {
        var writer = JSONWriter(reserving: 256 * points.count)
        writer.beginObject()
        writer.field("event_name", "metrics")
        writer.field("session_id", group.session)
        writer.beginArray("points")
        for point in points {
            writer.beginObject()
            writer.field("metric", point.metric.unprefixed)
            writer.field("value", point.value)
            for attribute in point.attributes where isKept(attribute) { writer.field(attribute) }
            writer.endObject()
        }
        writer.endArray()
        writer.endObject()
        var facts = SessionFacts(detail: "metrics")
        facts.report = SessionReport()
        return compose(
            Draft(
                name: "metrics",
                sessionID: group.session,
                time: group.time.timestamp ?? source.now,
                summary: "\(points.count) metrics",
                text: writer.bytes,
                facts: facts
            ),
            identity: "\(group.time) \(group.part)",
            from: source
        )
    }

    private func compose(_ draft: Draft, identity: String, from source: Source) -> MonitorEvent? {
        let payload = try? parser.withDocument(draft.text) { form.payload(of: $0) }
        guard let payload else { return nil }
        return MonitorEvent(
            id: EventID(
                name: "otel \(identity) \(String(decoding: draft.text, as: UTF8.self))",
                machine: source.machine
            ),
            type: .telemetry,
            hookEventName: nil,
            timestamp: draft.time,
            receivedAt: source.now,
            machine: source.machine,
            machineName: source.machineName,
            sessionID: draft.sessionID,
            projectPath: nil,
            toolName: nil,
            summary: draft.summary,
            payload: payload,
            facts: draft.facts
        )
    }

    private func isKept(_ attribute: OTLPAttribute) -> Bool {
        switch attribute.key {
        case "event.name", "event.timestamp", "session.id", "prompt.id", "": false
        default:
            !TelemetryName.personal.contains(attribute.key)
                && (form.policy != .none || !TelemetryName.content.contains(attribute.key))
        }
    }
}

extension String {
    /// The name without the prefix that all names of Claude Code have.
    fileprivate var unprefixed: String {
        let prefix = "claude_code."
        return hasPrefix(prefix) ? String(dropFirst(prefix.count)) : self
    }
}

extension UInt64 {
    /// Nanoseconds since 1970 as a time. `nil` for 0 and for times that no clock can show.
    fileprivate var timestamp: Timestamp? {
        self == 0 || self > 1 << 62 ? nil : Timestamp(microseconds: Int64(self / 1000))
    }
}

extension JSONWriter {
    fileprivate mutating func field(_ attribute: OTLPAttribute) {
        key(named: attribute.key)
        switch attribute.value {
        case .string(let text): string(text)
        case .bool(let flag): bool(flag)
        case .integer(let value): integer(value)
        case .double(let value): number(value)
        case .other: raw("null")
        }
    }
}

package import EventModel

/// `EventQuery` as SQL, and its rows as events.
package enum EventSelection {
    static let columns = """
        seq, event_id, type, hook_event_name, occurred_at, received_at, machine_id, machine_name, reported_name,
        session_id, workspace_id, project_path, tool_name, summary, payload, facts
        """

    package static func make(_ query: EventQuery) -> (Statement, Parameters) {
        var selection = filtered(query, "events_", "SELECT \(columns) FROM events")
        let limit = Int64(min(max(query.limit, 1), 1000))
        let order = query.isDescending ? "DESC" : "ASC"
        let offset = query.offset.map { Int64(max(0, $0)) }
        let statement = selection.statement(
            order,
            "ORDER BY seq \(order)",
            limit: limit,
            offset: offset,
            payloadBytes: Int64(query.maxBytes),
            columns: columns
        )
        return (statement, selection.parameters)
    }

    static func count(_ query: EventQuery) -> (Statement, Parameters) {
        var selection = filtered(query, "count_events_", "SELECT count(*) FROM events")
        let statement = selection.statement("", "")
        return (statement, selection.parameters)
    }

    private static func filtered(_ query: EventQuery, _ key: String, _ source: String) -> Selection {
        var selection = Selection(key, source)
        selection.add("s", "session_id = $", query.sessionID)
        selection.add("a", "seq > $", query.after)
        selection.add("b", "seq < $", query.before)
        selection.add("w", "workspace_id = $", query.workspaceID)
        selection.add("x", "workspace_id = ANY ($)", anyOf: query.workspaceIDs.sorted())
        selection.add(query.machine)
        selection.add("t", "type = ANY ($)", anyOf: query.types.map(\.rawValue).sorted())
        return selection
    }

    package static func page(_ result: PQResult) throws(PersistenceError) -> EventPage {
        let matching = try result.firstRow?.int64(16) ?? 0
        let events = try result.map(EventSelection.event)
        return EventPage(events: events, through: Int64(events.count) == matching ? nil : events.last?.seq)
    }

    /// Decodes a row of `columns`.
    static func event(_ row: PQRow) throws(PersistenceError) -> CommittedEvent {
        let event = MonitorEvent(
            id: try row.eventID(1),
            type: EventType(rawValue: try row.text(2)),
            hookEventName: row.optionalText(3).map { HookEventName($0) },
            timestamp: try row.timestamp(4),
            receivedAt: try row.timestamp(5),
            machine: MachineID(rawValue: try row.int64(6)),
            machineName: try row.text(7),
            reportedMachineName: row.optionalText(8),
            sessionID: row.optionalText(9),
            projectPath: row.optionalText(11),
            toolName: row.optionalText(12),
            summary: try row.text(13),
            payload: try row.bytes(14),
            facts: row.optionalBytes(15).map { SessionFacts(stored: $0) } ?? SessionFacts()
        )
        return CommittedEvent(seq: try row.int64(0), event: event, workspaceID: row.optionalText(10))
    }
}

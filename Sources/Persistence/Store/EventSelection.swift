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
        let matching: Int64 = try result.firstRow?.value(16) ?? 0
        let events = try result.map(EventSelection.event)
        return EventPage(events: events, through: Int64(events.count) == matching ? nil : events.last?.seq)
    }

    /// Decodes a row of `columns`, column by column: this runs for each event that is read, and `PQRow.values` is
    /// slower.
    static func event(_ row: PQRow) throws(PersistenceError) -> CommittedEvent {
        let event = MonitorEvent(
            id: try EventID(from: row, 1),
            type: try EventType(from: row, 2),
            hookEventName: try String?(from: row, 3).map { HookEventName($0) },
            timestamp: try Timestamp(from: row, 4),
            receivedAt: try Timestamp(from: row, 5),
            machine: try MachineID(from: row, 6),
            machineName: try String(from: row, 7),
            reportedMachineName: try String?(from: row, 8),
            sessionID: try String?(from: row, 9),
            projectPath: try String?(from: row, 11),
            toolName: try String?(from: row, 12),
            summary: try String(from: row, 13),
            payload: try [UInt8](from: row, 14),
            facts: try [UInt8]?(from: row, 15).map { SessionFacts(stored: $0) } ?? SessionFacts()
        )
        return CommittedEvent(seq: try Int64(from: row, 0), event: event, workspaceID: try String?(from: row, 10))
    }
}

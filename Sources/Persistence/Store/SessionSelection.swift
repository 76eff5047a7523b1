import EventModel
import Sessions

/// `SessionQuery` as SQL, and its rows as sessions.
enum SessionSelection {
    /// Reads one extra row to find out whether more exist.
    static func page(_ query: SessionQuery) -> (Statement, Parameters) {
        var selection = filtered(query, "sessions_", "SELECT id, fold FROM sessions")
        if let cursor = query.cursor {
            selection.add("c", "(last_activity_at, id)", below: cursor.lastActivityAt, cursor.id)
        }
        let statement = selection.statement(
            "",
            "ORDER BY last_activity_at DESC, id DESC",
            limit: Int64(limit(query)) + 1,
            offset: query.offset.map { Int64(max(0, $0)) }
        )
        return (statement, selection.parameters)
    }

    static func count(_ query: SessionQuery) -> (Statement, Parameters) {
        var selection = filtered(query, "count_sessions_", "SELECT count(*) FROM sessions")
        let statement = selection.statement("", "")
        return (statement, selection.parameters)
    }

    static func limit(_ query: SessionQuery) -> Int { min(max(query.limit, 1), 200) }

    /// Returns `nil` if the fold cannot be decoded.
    static func session(_ row: PQRow) throws(PersistenceError) -> Session? {
        let (id, fold): (String, [UInt8]) = try row.values()
        return SessionState(id: id, stored: fold)?.session
    }

    private static func filtered(_ query: SessionQuery, _ key: String, _ source: String) -> Selection {
        var selection = Selection(key, source)
        let quietSince = query.now.adding(seconds: -Session.quietSeconds)
        switch query.status {
        case .active:
            selection.add("n", "ended_at IS NULL")
            selection.add("a", "last_activity_at > $", quietSince)
        case .idle:
            selection.add("n", "ended_at IS NULL")
            selection.add("i", "last_activity_at <= $", quietSince)
        case .ended: selection.add("e", "ended_at IS NOT NULL")
        case nil: break
        }
        if query.isRunning {
            selection.add("r", "ended_at IS NULL")
            selection.add("u", "(last_activity_at > $ OR state = 'waiting')", quietSince)
            selection.add("v", "last_activity_at > $", query.now.adding(seconds: -Session.longestWaitSeconds))
        }
        selection.add(query.machine)
        selection.add("w", "workspace_id = $", query.workspaceID)
        return selection
    }
}

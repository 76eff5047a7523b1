import EventModel
import Sessions

/// `SessionQuery` as SQL, and its rows as sessions.
enum SessionSelection {
    /// Reads one extra row to find out whether more exist. The third column is the key of `ListCursor`.
    static func page(_ query: SessionQuery) -> (Statement, Parameters) {
        let (order, direction) = (query.order, query.isAscending ? "ASC" : "DESC")
        var selection = filtered(
            query,
            "sessions_\(order.rawValue)_\(direction)_",
            "SELECT id, fold, \(order.key) FROM \(order.table)"
        )
        if let cursor = query.cursor {
            let comparison = query.isAscending ? ">" : "<"
            if order.isTime {
                selection.add("c", "(\(order.column), id)", comparison, cursor.time, cursor.id)
            } else {
                selection.add("c", "(\(order.column), id)", comparison, cursor.key, cursor.id)
            }
        }
        let statement = selection.statement(
            "",
            "ORDER BY \(order.column) \(direction), id \(direction)",
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

    static func cursor(_ row: PQRow) throws(PersistenceError) -> ListCursor {
        ListCursor(key: try row.value(2), id: try row.value())
    }

    private static func filtered(_ query: SessionQuery, _ key: String, _ source: String) -> Selection {
        var selection = Selection(key, source)
        // The monitor's own calls of remote tools are no sessions of Claude Code.
        selection.add("z", "machine_id <> 0")
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
        selection.add("d", "id = ANY ($)", anyOf: query.ids)
        selection.add("s", "state = $", query.state?.rawValue)
        selection.add("h", "is_archived = $", query.isArchived)
        selection.add("q", containsAll, anyOf: query.words.map(pattern))
        return selection
    }

    private static let containsAll = """
        NOT EXISTS (SELECT FROM unnest($) AS wanted (pattern) WHERE lower(concat_ws(' ', title, project_path,
            machine_name, reported_name, id)) NOT LIKE wanted.pattern)
        """

    /// A pattern of LIKE for texts that contain the word.
    private static func pattern(_ word: String) -> String {
        let escaped = word.lowercased().map { "\\%_".contains($0) ? "\\\($0)" : String($0) }
        return "%" + escaped.joined() + "%"
    }
}

extension SessionQuery.Order {
    /// Whether the column holds times. The index on the latest activity serves the usual order only without a cast.
    fileprivate var isTime: Bool { self == .activity || self == .started }

    /// An expression for times and, in microseconds or millionths of a dollar, for others.
    fileprivate var column: String {
        switch self {
        case .activity: "last_activity_at"
        case .started: "started_at"
        case .duration: SessionQuery.Order.microseconds("coalesce(ended_at, last_activity_at) - started_at")
        case .cost: "round(least(coalesce(session_costs.cost, total_cost, 0), 9e12) * 1e6)::bigint"
        }
    }

    fileprivate var key: String {
        isTime ? SessionQuery.Order.microseconds("\(column) - timestamptz 'epoch'") : column
    }

    fileprivate var table: String {
        self == .cost ? "sessions LEFT JOIN session_costs ON session_costs.session_id = id" : "sessions"
    }

    private static func microseconds(_ interval: String) -> String {
        "(greatest(extract(epoch FROM \(interval)), 0) * 1000000)::bigint"
    }
}

internal import EventModel

/// Deletes rows beside the events: those of the log's own projections, then those of the modules above.
extension LogMaintenance {
    /// Maximum number of rows that one statement deletes, which bounds its duration.
    private static let portion: Int64 = 10_000

    /// - Parameter cutoff: events received before this time are past the retention.
    func forget(_ cutoff: Timestamp, now: Timestamp, on connection: PQConnection) throws(PersistenceError) {
        _ = try connection.query(LogMaintenance.counts, Parameters(of: cutoff))
        try LogMaintenance.forget(projects, before: cutoff, on: connection)
        for step in steps {
            switch step {
            case .portions(let statement, let age):
                try LogMaintenance.forget(statement, before: age.limit(cutoff, now: now), on: connection)
            case .once(let statement, let age):
                _ = try connection.query(statement, Parameters(of: age.limit(cutoff, now: now)))
            case .orphans(let statement):
                _ = try connection.query(statement)
            case .keepsProject:
                break
            }
        }
    }

    private static func forget(
        _ statement: Statement,
        before time: Timestamp,
        on connection: PQConnection
    ) throws(PersistenceError) {
        while try Int64(connection.query(statement, Parameters(of: time, portion)).affectedRows) == portion {}
    }

    private static let counts = Statement(
        "forget_counts",
        [.timestamptz],
        "DELETE FROM event_counts WHERE day < ($1 AT TIME ZONE 'UTC')::date"
    )

    /// Projects that no person has edited or that a person has removed. A concurrent event creates the project again.
    private var projects: Statement {
        let kept = steps.map { if case .keepsProject(let condition) = $0 { " AND NOT (\(condition))" } else { "" } }
        return Statement(
            "forget_projects",
            [.timestamptz, .int8],
            """
            DELETE FROM workspaces WHERE id IN (
                SELECT w.id FROM workspaces w
                WHERE w.last_activity_at < $1 AND (w.updated_at IS NULL OR w.hidden_at_seq IS NOT NULL)
                    AND NOT EXISTS (SELECT FROM sessions s WHERE s.workspace_id = w.id)\(kept.joined())
                LIMIT $2)
            """
        )
    }
}

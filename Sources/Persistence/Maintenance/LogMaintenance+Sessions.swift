internal import EventModel

/// Updates and deletes sessions whose events are dropped.
extension LogMaintenance {
    /// Call before a partition is dropped: afterwards the rows of its sessions can no longer be rebuilt.
    static func cutSessions(losing day: Int64, on connection: PQConnection) throws(PersistenceError) {
        let parameters = Parameters(of: day)
        _ = try connection.pipeline([hold, (cutByDay, parameters), (droppedDay, parameters)])
    }

    /// Same as above, for the default partition. Call before it is purged.
    static func cutSessions(losingBefore cutoff: Timestamp, on connection: PQConnection) throws(PersistenceError) {
        let parameters = Parameters(of: cutoff)
        _ = try connection.pipeline([hold, (cutByTime, parameters), (droppedTime, parameters)])
    }

    /// Deletes sessions without events. The projector and the writers drop their cached state of them.
    static func deleteSessions(on connection: PQConnection) throws(PersistenceError) -> Int {
        let results = try connection.pipeline([hold, (delete, Parameters()), (forgetRemovals, Parameters())])
        let count: Int64 = try results[1].firstValue() ?? 0
        // After the transaction, because the lock of the log head blocks all writers.
        if count > 0 { _ = try connection.query(tellWriters) }
        return Int(count)
    }

    private static var hold: (Statement, Parameters) {
        (ProjectionStatements.hold, ProjectionStatements.named(SessionProjection.name))
    }

    private static let cutByDay = Statement(
        "cut_sessions",
        [.int8],
        """
        UPDATE sessions SET is_cut = true WHERE NOT is_cut AND id IN (
            SELECT session_id FROM events
            WHERE session_id IS NOT NULL AND received_at >= date '1970-01-01' + $1::integer
                AND received_at < date '1970-01-01' + ($1 + 1)::integer)
        """
    )

    private static let cutByTime = Statement(
        "cut_sessions_before",
        [.timestamptz],
        """
        UPDATE sessions SET is_cut = true WHERE NOT is_cut AND id IN (
            SELECT session_id FROM events_default WHERE session_id IS NOT NULL AND received_at < $1)
        """
    )

    private static let droppedDay = Statement(
        "note_dropped_day",
        [.int8],
        """
        UPDATE log_head
        SET dropped_before = greatest(dropped_before, (date '1970-01-01' + ($1 + 1)::integer)::timestamptz)
        """
    )

    private static let droppedTime = Statement(
        "note_dropped",
        [.timestamptz],
        """
        UPDATE log_head SET dropped_before = greatest(dropped_before, $1)
        WHERE EXISTS (SELECT FROM events_default WHERE received_at < $1)
        """
    )

    private static let delete = Statement(
        "delete_sessions",
        """
        WITH gone AS (
            DELETE FROM sessions
            WHERE last_seq < (SELECT coalesce((SELECT min(seq) FROM events), last_seq + 1) FROM log_head)
            RETURNING id
        ), disowned AS (
            DELETE FROM session_owners o USING gone WHERE o.session_id = gone.id
        ), forgotten AS (
            UPDATE projections SET generation = generation + 1
            WHERE name = '\(SessionProjection.name)' AND EXISTS (SELECT FROM gone)
        )
        SELECT count(*) FROM gone
        """
    )

    private static let forgetRemovals = Statement(
        "forget_removals",
        """
        DELETE FROM removed_sessions
        WHERE through_seq < (SELECT coalesce((SELECT min(seq) FROM events), last_seq + 1) FROM log_head)
        """
    )

    private static let tellWriters = Statement(
        "tell_writers",
        "UPDATE log_head SET sessions_removed = sessions_removed + 1"
    )
}

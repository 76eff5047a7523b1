internal import EventModel
internal import Persistence

extension PostgresStore {
    /// Does nothing if there is no such session.
    ///
    /// - Parameter mostBytes: if given, the oldest sets are deleted until the others together have at most so many
    ///   bytes.
    func keepToldChanges(
        _ changes: String,
        of session: String,
        at time: Timestamp,
        mostBytes: Int?
    ) async throws(PersistenceError) {
        try await run { connection throws(PersistenceError) in
            let parameters = Parameters(of: session, changes, Int64(changes.utf8.count), time)
            _ = try connection.query(ToldChangeStatements.keep, parameters)
            guard let mostBytes else { return }
            _ = try connection.query(ToldChangeStatements.bound, Parameters(of: Int64(mostBytes)))
        }
    }

    func toldChanges(of session: String) async throws(PersistenceError) -> (changes: String, at: Timestamp)? {
        try await run { connection throws(PersistenceError) in
            guard let row = try connection.query(ToldChangeStatements.find, Parameters(of: session)).firstRow else {
                return nil
            }
            let (changes, at): (String, Timestamp) = try row.values()
            return (changes, at)
        }
    }

    func forgetToldChanges(of sessions: [String]) async throws(PersistenceError) {
        try await run { connection throws(PersistenceError) in
            _ = try connection.query(ToldChangeStatements.remove, Parameters(of: sessions))
        }
    }
}

/// SQL of the change sets that agents told last.
enum ToldChangeStatements {
    static let find = Statement(
        "told_changes",
        [.text],
        "SELECT changes, told_at FROM told_changes WHERE session_id = $1"
    )

    /// Locks the session's row, so that an erasure that has begun ends before or after it. A set that comes while the
    /// session is erased is deleted after the erasure.
    static let keep = Statement(
        "keep_told_changes",
        [.text, .text, .int8, .timestamptz],
        """
        INSERT INTO told_changes (session_id, machine_id, changes, bytes, told_at)
        SELECT id, machine_id, $2, $3, $4 FROM sessions WHERE id = $1 FOR KEY SHARE
        ON CONFLICT (session_id) DO UPDATE SET machine_id = EXCLUDED.machine_id, changes = EXCLUDED.changes,
            bytes = EXCLUDED.bytes, told_at = EXCLUDED.told_at
        WHERE told_changes.told_at <= EXCLUDED.told_at
        """
    )

    static let bound = Statement(
        "bound_told_changes",
        [.int8],
        """
        DELETE FROM told_changes t USING (
            SELECT session_id, sum(bytes) OVER (ORDER BY told_at DESC, session_id) AS total FROM told_changes
        ) AS r
        WHERE r.session_id = t.session_id AND r.total > $1
        """
    )

    static let remove = Statement(
        "remove_told_changes",
        [.textArray],
        "DELETE FROM told_changes WHERE session_id = ANY ($1)"
    )

    /// A set is not kept longer than its session.
    static let forget = Statement(
        "forget_told_changes",
        [.timestamptz],
        """
        DELETE FROM told_changes t
        WHERE told_at < $1 OR NOT EXISTS (SELECT FROM sessions s WHERE s.id = t.session_id)
        """
    )

    static let erase = Statement(
        "erase_told_changes",
        "DELETE FROM told_changes WHERE session_id IN (SELECT session_id FROM erased_sessions)"
    )
}

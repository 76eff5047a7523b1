internal import EventModel
internal import Persistence

/// SQL of the calls for which programs can continue to wait.
enum WaitStatements {
    static let begin = Statement(
        "begin_router_wait",
        [.text, .text, .timestamptz],
        """
        INSERT INTO tool_router_waits (call_id, session_id, turn, expires_at) VALUES ($1, $2, 1, $3)
        ON CONFLICT DO NOTHING
        """
    )

    /// Uses up a turn. Returns a row only to the first caller that does.
    static let turn = Statement(
        "turn_router_wait",
        [.text, .int8, .timestamptz],
        """
        UPDATE tool_router_waits SET turn = turn + 1 WHERE call_id = $1 AND turn = $2 AND expires_at > $3 RETURNING turn
        """
    )

    static let forget = Statement(
        "forget_router_waits",
        [.timestamptz],
        "DELETE FROM tool_router_waits WHERE expires_at < $1"
    )
}

extension PostgresStore {
    func beginRouterWait(
        _ call: String,
        session: String?,
        until end: Timestamp
    ) async throws(PersistenceError) {
        try await run { connection throws(PersistenceError) in
            _ = try connection.query(WaitStatements.begin, Parameters(of: call, session, end))
        }
    }

    /// Returns the next turn; `nil` if this one was used, or if its call has ended.
    func turnRouterWait(_ call: String, _ turn: Int64, at time: Timestamp) async throws(PersistenceError) -> Int64? {
        try await run { connection throws(PersistenceError) in
            try connection.query(WaitStatements.turn, Parameters(of: call, turn, time)).firstValue()
        }
    }
}

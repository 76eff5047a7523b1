internal import EventModel
internal import HTTPModel
internal import JSON
internal import Persistence

/// A session of the tool router: what a program lets one of its users do.
struct RouterSession: Sendable, Equatable {
    /// Days for which a session is kept after its last use.
    static let days = 30.0
    /// The most sessions of one key. A further one replaces the one that was used least recently.
    static let mostOfKey: Int64 = 10_000

    var id: String
    /// The key that made the session. No other key can use it.
    var keyID: Int64
    var config: SessionConfig
    /// Raised by each change.
    var version: Int64
    var createdAt: Timestamp
    var usedAt: Timestamp

    var userID: String { config.userID }
}

extension RouterSession: PGColumn {
    static var columnCount: Int { 6 }

    init(from row: PQRow, _ column: Int) throws(PersistenceError) {
        let text: [UInt8]
        (id, keyID, text, version, createdAt, usedAt) = try row.values(from: column)
        let json = (try? JSONValue.parse(text)) ?? .null
        // The stored configuration was valid when it was stored.
        config = (try? SessionConfig(json)) ?? .none
    }
}

/// SQL of the tool router's sessions.
enum SessionStatements {
    private static let columns = "id, key_id, config, config_version, created_at, used_at"

    static let create = Statement(
        "create_router_session",
        [.text, .int8, .text, .text, .timestamptz, .int8],
        """
        WITH least AS (DELETE FROM tool_router_sessions WHERE id IN (SELECT id FROM tool_router_sessions
            WHERE key_id = $2 ORDER BY used_at DESC OFFSET $6 - 1))
        INSERT INTO tool_router_sessions (id, key_id, user_id, config, config_version, created_at, used_at)
        VALUES ($1, $2, $3, $4, 1, $5, $5) RETURNING \(columns)
        """
    )

    static let find = Statement(
        "router_session",
        [.text, .int8],
        "SELECT \(columns) FROM tool_router_sessions WHERE id = $1 AND key_id = $2"
    )

    static let use = Statement(
        "use_router_session",
        [.text, .timestamptz],
        "UPDATE tool_router_sessions SET used_at = $2 WHERE id = $1 AND used_at < $2 - interval '1 hour'"
    )

    /// Changes the session only if nobody has changed it since it was read.
    static let change = Statement(
        "change_router_session",
        [.text, .int8, .text, .int8, .timestamptz],
        """
        UPDATE tool_router_sessions SET config = $3, config_version = config_version + 1, used_at = $5
        WHERE id = $1 AND key_id = $2 AND config_version = $4 RETURNING \(columns)
        """
    )

    static let delete = Statement(
        "delete_router_session",
        [.text, .int8],
        "DELETE FROM tool_router_sessions WHERE id = $1 AND key_id = $2 RETURNING id"
    )

    static let forget = Statement(
        "forget_router_sessions",
        [.timestamptz],
        "DELETE FROM tool_router_sessions WHERE used_at < $1"
    )
}

extension PostgresStore {
    func createRouterSession(
        _ id: String,
        key: Int64,
        _ config: SessionConfig,
        at time: Timestamp
    ) async throws(PersistenceError) -> RouterSession? {
        try await run { connection throws(PersistenceError) in
            let parameters = Parameters(of: id, key, config.userID, config.stored, time, RouterSession.mostOfKey)
            return try connection.query(SessionStatements.create, parameters).firstValue()
        }
    }

    func routerSession(_ id: String, key: Int64, at time: Timestamp) async throws(PersistenceError) -> RouterSession? {
        try await run { connection throws(PersistenceError) in
            let results = try connection.pipeline([
                (SessionStatements.find, Parameters(of: id, key)), (SessionStatements.use, Parameters(of: id, time)),
            ])
            return try results[0].firstValue()
        }
    }

    func changeRouterSession(
        _ session: RouterSession,
        to config: SessionConfig,
        at time: Timestamp
    ) async throws(PersistenceError) -> RouterSession? {
        try await run { connection throws(PersistenceError) in
            let parameters = Parameters(of: session.id, session.keyID, config.stored, session.version, time)
            return try connection.query(SessionStatements.change, parameters).firstValue()
        }
    }

    func deleteRouterSession(_ id: String, key: Int64) async throws(PersistenceError) -> Bool {
        try await run { connection throws(PersistenceError) in
            try connection.query(SessionStatements.delete, Parameters(of: id, key)).firstRow != nil
        }
    }
}

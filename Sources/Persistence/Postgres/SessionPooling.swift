/// Recognizes a connection pooler that gives a client another server connection for each transaction or statement, as
/// PgBouncer does with `pool_mode = transaction`. This server needs a connection's prepared statements, advisory locks
/// and notifications, so it works only with session pooling.
package enum SessionPooling {
    /// A pooler gives the same idle connection to two clients soon, but other clients may come between.
    private static let attempts = 20

    /// Connects to check. Throws `unsuitable`, or the error of a connection that fails.
    package static func require(by configuration: PersistenceConfiguration) throws(PersistenceError) {
        try require(of: try connection(configuration), configuration)
    }

    /// Costs one query without a pooler, and one connection more with one.
    static func require(
        of connection: PQConnection,
        _ configuration: PersistenceConfiguration
    ) throws(PersistenceError) {
        let own = try process(of: connection)
        // A pooler makes up the process id that it tells its clients.
        guard own != connection.announcedProcess else { return }
        let other = try SessionPooling.connection(configuration)
        for _ in 0..<attempts {
            let (one, two) = (try process(of: connection), try process(of: other))
            guard one == own, two != own else { throw unsuitable }
        }
    }

    /// The process of PostgreSQL that answers. Not prepared, because such poolers lose prepared statements.
    private static func process(of connection: PQConnection) throws(PersistenceError) -> Int64 {
        let found: Int64? = try connection.queryUnprepared("SELECT pg_backend_pid()::bigint", as: "pooling")
            .firstValue()
        guard let found else { throw PersistenceError(.malformedReply, "no process id") }
        return found
    }

    private static func connection(
        _ configuration: PersistenceConfiguration
    ) throws(PersistenceError) -> PQConnection {
        try PQConnection(configuration, applicationName: "claude-monitor pooling", replyTimeoutMilliseconds: 10_000)
    }

    private static let unsuitable = PersistenceError(
        .unsuitable,
        """
        The database is reached through a connection pooler in transaction or statement mode. This server needs \
        session pooling (PgBouncer: pool_mode = session) or a direct connection.
        """
    )
}

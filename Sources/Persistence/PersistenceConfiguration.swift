/// Where the database is, and the limits on its use.
package struct PersistenceConfiguration: Sendable {
    /// libpq connection string or URL (manual, 34.1.1). May hold a password: never printed.
    package var conninfo: String
    /// Overrides a password in `conninfo`. Never printed.
    package var password: String?
    /// Directory of `NNNN_name.sql` files.
    package var migrationsDirectory: String
    /// Days. Maintenance drops events received earlier.
    package var retentionDays = 90
    /// Bytes of events that may wait for their commit. Beyond this limit `EventWriter.append` refuses events.
    package var writerQueueBytes = 64 << 20
    /// Maximum number of requests in one commit. A request holds one or more events.
    package var batchRequests = 500
    /// Maximum bytes of events in one commit, unless the commit takes a single request.
    package var batchBytes = 4 << 20
    /// Seconds that a read of projected tables waits until they hold all events committed before it.
    package var projectionWaitSeconds = 2.0
    /// Seconds for which a batch is retried after a lost connection before it is answered as unavailable.
    package var commitRetrySeconds = 5.0
    /// Seconds for which `EventWriter.stop` continues to commit queued events.
    package var stopSeconds = 5.0
    package var storeConnections = 4
    /// Maximum number of queries that wait for a store connection. Beyond this limit queries fail with `overloaded`.
    package var storeQueueLength = 256
    /// Maximum time of one read on the server, in seconds.
    package var readTimeoutSeconds = 10

    package init(conninfo: String, migrationsDirectory: String) {
        self.conninfo = conninfo
        self.migrationsDirectory = migrationsDirectory
    }
}

extension PersistenceConfiguration {
    /// Throws if libpq cannot use the connection string. Does not connect. The error does not quote the string.
    package static func check(conninfo: String) throws(PersistenceError) {
        try PQConnection.check(conninfo)
    }
}

extension PersistenceConfiguration: CustomStringConvertible, CustomDebugStringConvertible {
    /// Omits the connection string and the password.
    package var description: String {
        "migrations in \(migrationsDirectory), retention \(retentionDays) days, \(storeConnections) connections"
    }

    package var debugDescription: String { description }
}

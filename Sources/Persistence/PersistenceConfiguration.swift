/// Where the database is and how much it may be asked.
public struct PersistenceConfiguration: Sendable {
    /// libpq connection string or URL (manual, 34.1.1). May hold a password: never printed.
    public var conninfo: String
    /// Overrides a password in `conninfo`. Never printed.
    public var password: String?
    /// Directory of `NNNN_name.sql` files.
    public var migrationsDirectory: String
    /// Days; events received earlier are dropped.
    public var retentionDays = 90
    /// Days, 30 or more: the database refuses to delete what is younger.
    public var auditDays = 365
    /// Bytes of events that may wait for their commit; beyond it `EventWriter.append` refuses.
    public var writerQueueBytes = 64 << 20
    /// Requests, of one event or more each, that one commit takes.
    public var batchRequests = 500
    /// Bytes of events that one commit takes, if it takes more than one request.
    public var batchBytes = 4 << 20
    /// How long a read of what is derived from the log waits until that holds all events committed before.
    public var projectionWaitSeconds = 2.0
    /// How long a batch is tried again after a lost connection before it is answered as unavailable.
    public var commitRetrySeconds = 5.0
    /// How long `EventWriter.stop` goes on committing what is queued.
    public var stopSeconds = 5.0
    public var storeConnections = 4
    /// Queries that may wait for a connection of the store; beyond it they fail with `overloaded`.
    public var storeQueueLength = 256
    /// Longest time of one read on the server.
    public var readTimeoutSeconds = 10

    public init(conninfo: String, migrationsDirectory: String) {
        self.conninfo = conninfo
        self.migrationsDirectory = migrationsDirectory
    }
}

extension PersistenceConfiguration: CustomStringConvertible, CustomDebugStringConvertible {
    /// Without the connection string and the password.
    public var description: String {
        "migrations in \(migrationsDirectory), retention \(retentionDays) days, \(storeConnections) connections"
    }

    public var debugDescription: String { description }
}

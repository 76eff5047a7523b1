public import EventModel
public import Logging
public import Workers

/// All that is asked of the database, and all that is written there beside the log: keys, devices, projects. On
/// connections of its own, so that a long read never delays a commit.
///
/// All functions fail with `overloaded` where too many wait, and are safe to call again after a retriable error.
public final class PostgresStore: Sendable {
    let pool: StorePool
    private let waitSeconds: Double
    private let projectors: Projectors?

    /// - Parameter projectors: of this server; without them sessions are read as their rows are.
    public init(configuration: PersistenceConfiguration, logger: Logger, projectors: Projectors? = nil) {
        self.projectors = projectors
        waitSeconds = configuration.projectionWaitSeconds
        pool = StorePool(configuration: configuration, logger: logger)
    }

    /// Connections are made when they are first needed. To be called once.
    public func start() throws(WorkerThreadError) {
        try pool.start()
    }

    /// To be called before `stop`, which then does not wait for a database that hangs. What the database answers at
    /// once still comes.
    public func cancelPending() {
        pool.cancelPending()
    }

    /// Blocks until the queries that are running have ended; those that wait fail.
    public func stop() {
        pool.stop()
    }

    /// As `StorePool.run`.
    package func run<Value: Sendable>(
        _ body: @escaping @Sendable (PQConnection) throws(PersistenceError) -> Value
    ) async throws(PersistenceError) -> Value {
        try await pool.run(body)
    }

    /// As `StorePool.run`, for what reads sessions: their rows hold all events committed before the call, by whichever
    /// server. Where they do not within the time of the configuration, it fails with `behind`.
    package func runProjected<Value: Sendable>(
        _ body: @escaping @Sendable (PQConnection) throws(PersistenceError) -> Value
    ) async throws(PersistenceError) -> Value {
        guard let projectors else { return try await pool.run(body) }
        var wait = ProjectionWait(seconds: waitSeconds, now: projectors.clock())
        while true {
            let target = wait.target
            let found = try await pool.run { connection throws(PersistenceError) -> ProjectionWait.Found<Value> in
                let place = try ProjectionPlace.read(SessionProjection.name, on: connection)
                guard place.holds(target ?? place.lastSeq, version: SessionProjection.version) else {
                    return .behind(place.lastSeq)
                }
                return .value(try body(connection))
            }
            switch found {
            case .value(let value): return value
            case .behind(let end):
                guard let pause = wait.next(end: end, at: projectors.clock()) else {
                    throw PersistenceError(.behind, ProjectionWait.message)
                }
                await projectors.writeSessions(through: wait.target ?? end, atMost: pause)
            }
        }
    }

    public func bounds() async throws(PersistenceError) -> LogBounds {
        try await pool.run(PostgresStore.bounds)
    }

    public func events(_ query: EventQuery) async throws(PersistenceError) -> EventPage {
        try await pool.run { connection throws(PersistenceError) in
            guard EventScan.isNeeded(query) else { return try PostgresStore.page(query, on: connection) }
            var scan = EventScan(query, in: try PostgresStore.bounds(on: connection))
            while let step = scan.next() { scan.found(try PostgresStore.page(step, on: connection)) }
            return EventPage(events: scan.events, through: scan.through)
        }
    }

    private static func bounds(on connection: PQConnection) throws(PersistenceError) -> LogBounds {
        guard let row = try connection.query(LogStatements.bounds).firstRow else {
            throw PersistenceError(.malformedReply, "log_head has no row")
        }
        return LogBounds(epoch: try row.text(0), head: try row.int64(1), oldest: try row.int64(2))
    }

    private static func page(_ query: EventQuery, on connection: PQConnection) throws(PersistenceError) -> EventPage {
        let (statement, parameters) = EventSelection.make(query)
        return try EventSelection.page(try connection.query(statement, parameters))
    }

    public func event(id: EventID) async throws(PersistenceError) -> CommittedEvent? {
        try await pool.run { connection throws(PersistenceError) in
            var parameters = Parameters()
            parameters.add(id)
            return try connection.query(LogStatements.event, parameters).map(EventSelection.event).first
        }
    }
}

extension PQResult {
    package func map<Value>(_ decode: (PQRow) throws(PersistenceError) -> Value) throws(PersistenceError) -> [Value] {
        var values: [Value] = []
        values.reserveCapacity(rowCount)
        for row in rows { values.append(try decode(row)) }
        return values
    }
}

package import EventModel
package import Logging
package import Workers

/// All reads of the database, and all writes beside the log: keys, devices, projects. It has its own connections, so
/// a long read never delays a commit.
///
/// All functions throw `overloaded` if the queue is full, and are safe to repeat after a retriable error.
package final class PostgresStore: Sendable {
    let pool: StorePool
    let timeZones = KnownTimeZones()
    private let waitSeconds: Double
    private let projectors: Projectors?

    /// - Parameter projectors: the projectors of this server. Without them, sessions are read from their rows as they
    ///   are.
    package init(configuration: PersistenceConfiguration, logger: Logger, projectors: Projectors? = nil) {
        self.projectors = projectors
        waitSeconds = configuration.projectionWaitSeconds
        pool = StorePool(configuration: configuration, logger: logger)
    }

    /// Connections are made on first use. Call once.
    package func start() throws(WorkerThreadError) {
        try pool.start()
    }

    /// Call before `stop`, so that `stop` does not wait for a database that hangs. Immediate answers of the database
    /// are still delivered.
    package func cancelPending() {
        pool.cancelPending()
    }

    /// Blocks until the running queries have ended. Waiting queries fail.
    package func stop() {
        pool.stop()
    }

    /// See `StorePool.run`.
    package func run<Value: Sendable>(
        _ body: @escaping @Sendable (PQConnection) throws(PersistenceError) -> Value
    ) async throws(PersistenceError) -> Value {
        try await pool.run(body)
    }

    /// Like `StorePool.run`, for reads of a projection's tables. They hold all events that any server committed before
    /// the call. Fails with `behind` if they do not within `projectionWaitSeconds`.
    ///
    /// - Parameter isCancellable: whether the query ends when the calling task is cancelled (`runCancellable`).
    package func runProjected<Value: Sendable>(
        by projection: ProjectionIdentity = SessionProjection.identity,
        isCancellable: Bool = false,
        _ body: @escaping @Sendable (PQConnection) throws(PersistenceError) -> Value
    ) async throws(PersistenceError) -> Value {
        guard let projectors else { return try await run(isCancellable, body) }
        var wait = ProjectionWait(seconds: waitSeconds, now: projectors.clock())
        while true {
            let target = wait.target
            let found = try await run(isCancellable) {
                connection throws(PersistenceError) -> ProjectionWait.Found<Value> in
                let place = try ProjectionPlace.read(projection.name, on: connection)
                guard place.holds(target ?? place.lastSeq, version: projection.version) else {
                    return .behind(place.lastSeq)
                }
                return .value(try body(connection))
            }
            switch found {
            case .value(let value): return value
            case .behind(let end):
                guard !Task.isCancelled, let pause = wait.next(end: end, at: projectors.clock()) else {
                    throw PersistenceError(.behind, ProjectionWait.message)
                }
                await projectors.write(projection.name, through: wait.target ?? end, atMost: pause)
            }
        }
    }

    private func run<Value: Sendable>(
        _ isCancellable: Bool,
        _ body: @escaping @Sendable (PQConnection) throws(PersistenceError) -> Value
    ) async throws(PersistenceError) -> Value {
        try await isCancellable ? pool.runCancellable(body) : pool.run(body)
    }

    package func bounds() async throws(PersistenceError) -> LogBounds {
        try await pool.run(PostgresStore.bounds)
    }

    package func events(_ query: EventQuery) async throws(PersistenceError) -> EventPage {
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
        return try row.make { epoch, head, oldest in LogBounds(epoch: epoch, head: head, oldest: oldest) }
    }

    private static func page(_ query: EventQuery, on connection: PQConnection) throws(PersistenceError) -> EventPage {
        let (statement, parameters) = EventSelection.make(query)
        return try EventSelection.page(try connection.query(statement, parameters))
    }

    package func event(id: EventID) async throws(PersistenceError) -> CommittedEvent? {
        try await events(ids: [id]).first
    }

    /// The event with which a machine's hook reported the start of a call a moment ago.
    ///
    /// - Parameter call: Claude's id of the call: letters, digits, `_` and `-`.
    package func start(ofCall call: String, on machine: MachineID) async throws(PersistenceError) -> CommittedEvent? {
        try await pool.run { connection throws(PersistenceError) in
            let parameters = Parameters(of: machine, #""use":"\#(call)""#)
            let found = try connection.query(LogStatements.start, parameters).map(EventSelection.event)
            return found.first { $0.event.facts.toolUseID == call }
        }
    }

    /// The events that the log still holds, in any order.
    package func events(ids: [EventID]) async throws(PersistenceError) -> [CommittedEvent] {
        try await pool.run { connection throws(PersistenceError) in
            try connection.query(LogStatements.events, Parameters(of: ids)).map(EventSelection.event)
        }
    }
}

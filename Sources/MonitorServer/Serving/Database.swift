internal import EventIngest
internal import EventModel
internal import HTTPModel
internal import Interaction
internal import Notifications
internal import Persistence
internal import Synchronization
internal import Workers

/// Access to a database that may be unavailable at times. The server listens before the database answers, and keeps
/// running without it.
final class Database: NotificationDatabase, InteractionDatabase {
    enum State: Sendable {
        /// Not connected yet, or being migrated.
        case starting
        /// The last attempt to start failed and will be retried. The text is safe to print.
        case failing(String)
        case ready(Workers)
    }

    struct Workers: Sendable {
        var writer: EventWriter
        var store: PostgresStore
        /// The outbox's own store, with one connection, so that the outbox and other queries do not delay each other.
        /// `nil` if pushes are disabled.
        var pushStore: PostgresStore?
        var maintenance: MaintenanceWorker
        /// The projections of the log.
        var projectors: Projectors
        var erasure: LogErasure

        /// Requires a started store; the other parts must not be started.
        init(
            _ persistence: PersistenceConfiguration,
            context: ServerContext,
            observers: [any CommitObserver],
            onErasure: @escaping @Sendable (Set<String>?) -> Void
        ) throws(WorkerThreadError) {
            let projectors = Projectors(
                configuration: persistence,
                clock: context.steadyClock,
                logger: context.logger,
                and: context.projections,
                onPrompts: { [interaction = context.interaction] in interaction.promptsChanged($0) },
                onErasure: onErasure
            )
            self.projectors = projectors
            erasure = LogErasure(configuration: persistence, steps: ErasureService.steps)
            writer = EventWriter(
                configuration: persistence,
                logger: context.logger,
                clock: context.steadyClock,
                observers: observers + [projectors]
            )
            store = PostgresStore(configuration: persistence, logger: context.logger, projectors: projectors)
            if context.push != nil {
                var single = persistence
                single.storeConnections = 1
                pushStore = PostgresStore(configuration: single, logger: context.logger, projectors: projectors)
            }
            maintenance = MaintenanceWorker(
                configuration: persistence,
                logger: context.logger,
                clock: context.clock
            )
            try store.start()
            try pushStore?.start()
        }

        /// Reads no longer wait for a hanging database.
        func cancelPending() {
            store.cancelPending()
            pushStore?.cancelPending()
        }

        /// Blocks until all parts have stopped.
        func stop() {
            writer.stop()
            projectors.stop()
            store.stop()
            pushStore?.stop()
            maintenance.stop()
        }
    }

    /// Values last read from the database, at most a few seconds old.
    struct Sample: Sendable {
        var sessions = OpenSessions()
        /// The next two are on the steady clock; `nil` before the first sample.
        var takenAt: Timestamp?
        var idleTakenAt: Timestamp?
    }

    private let current = Mutex<State>(.starting)
    private let latest = Mutex(Sample())
    private let postingOperator = Mutex<MachineID?>(nil)

    /// The machine that events posted with the admin token belong to.
    static let operatorMachineName = "operator"

    /// `nil` before the first connection to the database.
    var operatorMachine: MachineID? { postingOperator.withLock { $0 } }

    func keepOperatorMachine(_ machine: MachineID) {
        postingOperator.withLock { $0 = machine }
    }

    var state: State { current.withLock { $0 } }
    var sample: Sample { latest.withLock { $0 } }

    func become(_ state: State) {
        current.withLock { $0 = state }
    }

    func keep(_ sample: Sample) {
        latest.withLock { $0 = sample }
    }

    /// The writer, if events can be committed now. Throws 503 otherwise.
    func writer() throws(APIError) -> EventWriter {
        guard case .ready(let workers) = state, workers.writer.isAvailable else {
            throw .databaseUnavailable(retryAfter: 2)
        }
        return workers.writer
    }

    func store() throws(APIError) -> PostgresStore {
        guard case .ready(let workers) = state else { throw .databaseUnavailable(retryAfter: 2) }
        return workers.store
    }

    func erasure() throws(APIError) -> LogErasure {
        guard case .ready(let workers) = state else { throw .databaseUnavailable(retryAfter: 2) }
        return workers.erasure
    }

    func pushStore() throws(APIError) -> PostgresStore {
        guard case .ready(let workers) = state, let store = workers.pushStore else {
            throw .databaseUnavailable(retryAfter: 2)
        }
        return store
    }

    /// Runs a query and converts its error into an API error.
    func use<Result>(
        _ query: (PostgresStore) async throws(PersistenceError) -> Result
    ) async throws(APIError) -> Result {
        let store = try store()
        do throws(PersistenceError) {
            return try await query(store)
        } catch {
            throw error.apiError
        }
    }

    /// Returns when events can be committed, when an attempt has failed, or after the timeout in seconds.
    func waitUntilReady(atMost seconds: Double) async {
        let deadline = ContinuousClock.now + .seconds(seconds)
        while ContinuousClock.now < deadline, !Task.isCancelled {
            switch state {
            case .ready(let workers) where workers.writer.status.isAvailable: return
            case .failing: return
            default: try? await Task.sleep(for: .milliseconds(20))
            }
        }
    }
}

extension ServerContext {
    /// Called on the writer's thread, once for each commit.
    func countCommit(events: Int) {
        var queuedBytes = 0
        if case .ready(let workers) = database.state { queuedBytes = workers.writer.queuedBytes }
        metrics.update { counts in
            counts.batchEvents.observe(Double(events))
            counts.queuedBytes.observe(Double(queuedBytes))
        }
    }
}

extension PersistenceError {
    /// The error that a client gets.
    var apiError: APIError {
        if isDataError { return .unstorable }
        if kind == .behind {
            return .unavailable(
                "projection_behind",
                "The sessions do not hold all events yet that were committed before. Try again.",
                retryAfter: 1
            )
        }
        if isRetriable { return .databaseUnavailable(retryAfter: 2) }
        return APIError(
            .internalError,
            status: 500,
            code: "storage_error",
            message: "The database refused the request. The server's log has the reason."
        )
    }
}

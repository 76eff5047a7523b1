package import API
internal import EventIngest
package import EventModel
package import HTTPModel
internal import Notifications
package import Persistence
internal import Synchronization
package import Workers

/// Access to a database that may be unavailable at times. The server listens before the database answers, and keeps
/// running without it.
package final class Database: NotificationDatabase {
    package enum State: Sendable {
        /// Not connected yet, or being migrated.
        case starting
        /// The last attempt to start failed and will be retried. The text is safe to print.
        case failing(String)
        /// The server cannot work with this database as it is reached. Will be tried again. The text says what is
        /// needed and names nothing secret, so everybody may see it.
        case unsuitable(String)
        case ready(Workers)
    }

    package struct Workers: Sendable {
        package var writer: EventWriter
        package var store: PostgresStore
        /// Connections for answers to prompts and for the reads that people need to answer, so that no other read
        /// delays an answer.
        package var answerStore: PostgresStore
        /// The outbox's own store, with one connection, so that the outbox and other queries do not delay each other.
        /// `nil` if pushes are disabled.
        package var pushStore: PostgresStore?
        package var maintenance: MaintenanceWorker
        /// The projections of the log.
        package var projectors: Projectors
        /// Brings the log of all servers to the projections and the subscribers of this one.
        package var feed: LogFeed
        package var erasure: LogErasure

        /// Requires a started store; the other parts must not be started.
        package init(
            _ persistence: PersistenceConfiguration,
            context: ServerContext,
            features: [Feature],
            sendsPushes: Bool,
            observers: [any CommitObserver],
            logObservers: [any LogObserver],
            projectionObservers: [any ProjectionObserver]
        ) throws(WorkerThreadError) {
            let projectors = Projectors(
                configuration: persistence,
                clock: context.steadyClock,
                logger: context.logger,
                and: features.projections,
                observers: projectionObservers
            )
            self.projectors = projectors
            feed = LogFeed(
                configuration: persistence,
                clock: context.steadyClock,
                logger: context.logger,
                projectors: projectors,
                observers: logObservers
            )
            erasure = LogErasure(configuration: persistence, steps: features.erasure)
            writer = EventWriter(
                configuration: persistence,
                logger: context.logger,
                clock: context.steadyClock,
                observers: observers + [feed]
            )
            store = PostgresStore(configuration: persistence, logger: context.logger, projectors: projectors)
            var answering = persistence
            answering.storeConnections = Workers.answerConnections
            answerStore = PostgresStore(configuration: answering, logger: context.logger, projectors: projectors)
            if sendsPushes {
                var single = persistence
                single.storeConnections = 1
                pushStore = PostgresStore(configuration: single, logger: context.logger, projectors: projectors)
            }
            maintenance = MaintenanceWorker(
                configuration: persistence,
                steps: features.retention,
                logger: context.logger,
                clock: context.clock
            )
            try store.start()
            try answerStore.start()
            try pushStore?.start()
        }

        private static let answerConnections = 2

        /// Limits how long commits wait for a database that hangs. `stop` must follow.
        package func prepareStop() { writer.prepareStop() }

        /// Makes reads stop waiting for a database that hangs.
        package func cancelPending() {
            store.cancelPending()
            answerStore.cancelPending()
            pushStore?.cancelPending()
        }

        /// Blocks until all parts have stopped.
        package func stop() {
            writer.stop()
            feed.stop()
            projectors.stop()
            store.stop()
            answerStore.stop()
            pushStore?.stop()
            maintenance.stop()
        }
    }

    /// Values last read from the database, at most a few seconds old.
    package struct Sample: Sendable {
        package var sessions: OpenSessions
        /// The next two are on the steady clock; `nil` before the first sample.
        package var takenAt: Timestamp?
        package var idleTakenAt: Timestamp?

        package init(
            sessions: OpenSessions = OpenSessions(),
            takenAt: Timestamp? = nil,
            idleTakenAt: Timestamp? = nil
        ) {
            (self.sessions, self.takenAt, self.idleTakenAt) = (sessions, takenAt, idleTakenAt)
        }
    }

    private let current = Mutex<State>(.starting)
    private let latest = Mutex(Sample())
    /// The versions of Claude Code that machines have reported.
    package let clientVersions = ClientVersions()

    package init() {}

    package var state: State { current.withLock { $0 } }
    package var sample: Sample { latest.withLock { $0 } }

    /// What is needed, if the server cannot work with the database as it is reached.
    var unsuitability: APIError? {
        guard case .unsuitable(let reason) = state else { return nil }
        return .unavailable("database_unsuitable", reason, retryAfter: 10)
    }

    /// The error of a request that needs the database now.
    var unavailable: APIError { unsuitability ?? .databaseUnavailable(retryAfter: 2) }

    package func become(_ state: State) {
        current.withLock { $0 = state }
    }

    package func keep(_ sample: Sample) {
        latest.withLock { $0 = sample }
    }

    /// Stores the newest version that this server has received, and reads the newest that any server has stored.
    package func exchangeClientVersions() async {
        guard let store = try? store() else { return }
        if let newest = try? await store.clientVersion(atLeast: clientVersions.newest) { clientVersions.heard(newest) }
    }

    /// The writer, if events can be committed now. Throws 503 otherwise.
    package func writer() throws(APIError) -> EventWriter {
        guard case .ready(let workers) = state, workers.writer.isAvailable else {
            throw unavailable
        }
        return workers.writer
    }

    package func store() throws(APIError) -> PostgresStore {
        guard case .ready(let workers) = state else { throw unavailable }
        return workers.store
    }

    /// For answers to prompts, and the reads that they need.
    package var answering: AnsweringDatabase { AnsweringDatabase(database: self) }

    package func erasure() throws(APIError) -> LogErasure {
        guard case .ready(let workers) = state else { throw unavailable }
        return workers.erasure
    }

    package func feed() throws(APIError) -> LogFeed {
        guard case .ready(let workers) = state else { throw unavailable }
        return workers.feed
    }

    package func pushStore() throws(APIError) -> PostgresStore {
        guard case .ready(let workers) = state, let store = workers.pushStore else {
            throw unavailable
        }
        return store
    }
}

/// The database by way of the connections that are kept for answers.
package struct AnsweringDatabase: StoreAccess {
    fileprivate let database: Database

    package func store() throws(APIError) -> PostgresStore {
        guard case .ready(let workers) = database.state else { throw database.unavailable }
        return workers.answerStore
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

import Logging
import Synchronization
import Workers

/// A few connections, each on its own thread, that share one bounded queue of queries. The queue is fair:
/// one owner (`QueryOwner`) gets at most half of the connections and at most half of the queue.
final class StorePool: Sendable {
    struct Job: Sendable {
        let run: @Sendable (StoreConnection) -> Void
        let fail: @Sendable (PersistenceError) -> Void
    }

    private let configuration: PersistenceConfiguration
    private let logger: Logger
    /// Counts queries, not bytes: their parameters are small, and results are not queued here.
    private let mailbox: FairMailbox<QueryOwner, Job>
    private let threads = Mutex<[WorkerThread]>([])
    private let isCancelling = Mutex(false)

    init(configuration: PersistenceConfiguration, logger: Logger) {
        self.configuration = configuration
        self.logger = logger
        let connections = max(1, configuration.storeConnections)
        mailbox = FairMailbox(
            workers: connections,
            workersOfOwner: max(1, connections / 2),
            waiting: configuration.storeQueueLength
        )
    }

    func start() throws(WorkerThreadError) {
        for index in 0..<max(1, configuration.storeConnections) {
            let thread = try WorkerThread(name: "event-store-\(index)") { [self] in work() }
            threads.withLock { $0.append(thread) }
        }
    }

    /// From now on a query fails if the database does not answer it within a fraction of a second.
    func cancelPending() {
        isCancelling.withLock { $0 = true }
    }

    /// Finishes the running queries and fails the waiting ones.
    func stop() {
        mailbox.close()
        failWaiting(PersistenceError(.stopped, "the store was stopped"))
        for thread in threads.withLock({ $0 }) { thread.join() }
    }

    /// Runs `body` on one of the threads. A query that finds a dead connection is repeated once on a new one, so
    /// `body` must be idempotent. It must not leave a transaction open.
    func run<Value: Sendable>(
        _ body: @escaping @Sendable (PQConnection) throws(PersistenceError) -> Value
    ) async throws(PersistenceError) -> Value {
        try await result { $0.run(body) }.get()
    }

    /// Like `run`, for reads. If the calling task is cancelled, PostgreSQL is asked to stop the query, and the call
    /// fails with `cancelled`.
    func runCancellable<Value: Sendable>(
        _ body: @escaping @Sendable (PQConnection) throws(PersistenceError) -> Value
    ) async throws(PersistenceError) -> Value {
        let isCancelled = StopFlag()
        let result = await withTaskCancellationHandler {
            await self.result { $0.run(body, isCancelled: { isCancelled.isSet }) }
        } onCancel: {
            isCancelled.set()
        }
        return try result.get()
    }

    private func result<Value: Sendable>(
        _ work: @escaping @Sendable (StoreConnection) -> Result<Value, PersistenceError>
    ) async -> Result<Value, PersistenceError> {
        await withCheckedContinuation { continuation in
            let job = Job(
                run: { continuation.resume(returning: work($0)) },
                fail: { continuation.resume(returning: .failure($0)) }
            )
            if !mailbox.offer(job, from: QueryOwner.current) {
                job.fail(PersistenceError(.overloaded, "too many queries are waiting, or the store was stopped"))
            }
        }
    }

    private func work() {
        let connection = StoreConnection(configuration: configuration) { [self] in isCancelling.withLock { $0 } }
        var isFailureLogged = false
        var finished: QueryOwner?
        while let (owner, job) = mailbox.take(after: finished) {
            job.run(connection)
            finished = owner
            guard let error = connection.takeConnectFailure() else {
                isFailureLogged = false
                continue
            }
            if !isFailureLogged {
                logger.warning("database not available for reading", metadata: ["error": "\(error)"])
                isFailureLogged = true
            }
            // Fail the waiting queries too: each would wait for a connection that cannot be made.
            failWaiting(error)
        }
    }

    private func failWaiting(_ error: PersistenceError) {
        for job in mailbox.removeAll() { job.fail(error) }
    }
}

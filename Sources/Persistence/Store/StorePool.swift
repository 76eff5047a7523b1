import Logging
import Synchronization
import Workers

/// A few connections, each on its own thread, that share one bounded queue of queries.
final class StorePool: Sendable {
    struct Job: Sendable {
        let run: @Sendable (StoreConnection) -> Void
        let fail: @Sendable (PersistenceError) -> Void
    }

    private let configuration: PersistenceConfiguration
    private let logger: Logger
    /// Counts queries, not bytes: their parameters are small, and results are not queued here.
    private let mailbox: Mailbox<Job>
    private let threads = Mutex<[WorkerThread]>([])
    private let isCancelling = Mutex(false)

    init(configuration: PersistenceConfiguration, logger: Logger) {
        self.configuration = configuration
        self.logger = logger
        mailbox = Mailbox(byteLimit: configuration.storeQueueLength)
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
        let result = await withCheckedContinuation { continuation in
            let job = Job(
                run: { continuation.resume(returning: $0.run(body)) },
                fail: { continuation.resume(returning: Result<Value, PersistenceError>.failure($0)) }
            )
            if !mailbox.offer(job, bytes: 1) {
                job.fail(PersistenceError(.overloaded, "too many queries are waiting, or the store was stopped"))
            }
        }
        return try result.get()
    }

    private func work() {
        let connection = StoreConnection(configuration: configuration) { [self] in isCancelling.withLock { $0 } }
        var isFailureLogged = false
        while case .elements(let jobs) = mailbox.takeAll(maxElements: 1, timeoutMilliseconds: nil) {
            for job in jobs { job.run(connection) }
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
        while case .elements(let jobs) = mailbox.takeAll(timeoutMilliseconds: 0) {
            for job in jobs { job.fail(error) }
        }
    }
}

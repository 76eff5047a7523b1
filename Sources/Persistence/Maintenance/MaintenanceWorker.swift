public import EventModel
public import Logging
import Synchronization
public import Workers

/// Runs `LogMaintenance` on a thread of its own: at once, then every hour, sooner after a failure.
public final class MaintenanceWorker: Sendable {
    private static let intervalSeconds = 3600.0
    private static let pauseMilliseconds = 60_000

    private let maintenance: LogMaintenance
    private let logger: Logger
    private let clock: @Sendable () -> Timestamp
    /// Nothing is ever put in: to close it is to wake the thread.
    private let alarm = Mailbox<Void>(byteLimit: 0)
    private let thread = Mutex<WorkerThread?>(nil)
    private let latest = Mutex(Status())

    public struct Status: Sendable, Equatable {
        /// By the clock that was given; `nil` before the first.
        public var lastSuccess: Timestamp?
        public var failures: Int64 = 0
    }

    /// Any thread.
    public var status: Status { latest.withLock { $0 } }

    public init(
        configuration: PersistenceConfiguration,
        logger: Logger,
        clock: @escaping @Sendable () -> Timestamp
    ) {
        maintenance = LogMaintenance(configuration: configuration, logger: logger)
        self.logger = logger
        self.clock = clock
    }

    /// To be called once.
    public func start() throws(WorkerThreadError) {
        let worker = try WorkerThread(name: "log-maintenance") { [self] in
            var pause = 0
            var due: Timestamp?
            while case .timedOut = alarm.takeAll(timeoutMilliseconds: pause) { pause = run(&due) }
        }
        thread.withLock { $0 = worker }
    }

    /// Blocks until a run that is under way has been given up: what it did not finish, the next does.
    public func stop() {
        alarm.close()
        thread.withLock { $0 }?.join()
    }

    /// Returns the pause until the next run. `due` is when the hour's work is; `nil`: now.
    private func run(_ due: inout Timestamp?) -> Int {
        let now = clock()
        do throws(PersistenceError) {
            // A clock that was set back must not put the work off for longer than an hour.
            if due.map({ $0 <= now || $0.seconds(since: now) > MaintenanceWorker.intervalSeconds }) ?? true {
                _ = try maintenance.run(now: now) { [alarm] in alarm.isClosed }
                due = now.adding(seconds: MaintenanceWorker.intervalSeconds)
                latest.withLock { $0.lastSuccess = now }
            }
            return MaintenanceWorker.pauseMilliseconds
        } catch {
            guard !alarm.isClosed else { return 0 }
            latest.withLock { $0.failures += 1 }
            logger.error("log maintenance failed", metadata: ["error": "\(error)"])
            return MaintenanceWorker.pauseMilliseconds
        }
    }
}

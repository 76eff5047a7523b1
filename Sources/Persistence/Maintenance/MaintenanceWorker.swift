public import EventModel
public import Logging
import Synchronization
public import Workers

/// Runs `LogMaintenance` on a thread of its own: at once, then every hour, sooner after a failure. Between, every
/// minute, it counts the events that have come.
public final class MaintenanceWorker: Sendable {
    private static let intervalSeconds = 3600.0
    private static let countMilliseconds = 60_000

    private let maintenance: LogMaintenance
    private let counting: EventCounting
    private let logger: Logger
    private let clock: @Sendable () -> Timestamp
    /// Nothing is ever put in: to close it is to wake the thread.
    private let alarm = Mailbox<Void>(byteLimit: 0)
    private let thread = Mutex<WorkerThread?>(nil)

    public init(
        configuration: PersistenceConfiguration,
        logger: Logger,
        clock: @escaping @Sendable () -> Timestamp
    ) {
        maintenance = LogMaintenance(configuration: configuration, logger: logger)
        counting = EventCounting(configuration: configuration, logger: logger)
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

    /// Blocks until a run that is under way has ended.
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
                _ = try maintenance.run(now: now)
                due = now.adding(seconds: MaintenanceWorker.intervalSeconds)
            }
            return try counting.run() ? 0 : MaintenanceWorker.countMilliseconds
        } catch {
            logger.error("log maintenance failed", metadata: ["error": "\(error)"])
            return MaintenanceWorker.countMilliseconds
        }
    }
}

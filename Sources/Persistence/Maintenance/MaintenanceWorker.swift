package import EventModel
package import Logging
import Synchronization
package import Workers

/// Runs `LogMaintenance` on its own thread: immediately, then every hour, and sooner after a failure.
package final class MaintenanceWorker: Sendable {
    private static let intervalSeconds = 3600.0
    private static let pauseMilliseconds = 60_000

    private let maintenance: LogMaintenance
    private let logger: Logger
    private let clock: @Sendable () -> Timestamp
    /// Carries no elements. Closing it wakes the thread.
    private let alarm = Mailbox<Void>(byteLimit: 0)
    private let thread = Mutex<WorkerThread?>(nil)
    private let latest = Mutex(Status())

    package struct Status: Sendable, Equatable {
        /// Read from the injected clock. `nil` before the first success.
        package var lastSuccess: Timestamp?
        package var failures: Int64 = 0
    }

    /// Any thread.
    package var status: Status { latest.withLock { $0 } }

    /// - Parameter steps: the retention of the features' tables, in order.
    package init(
        configuration: PersistenceConfiguration,
        steps: [RetentionStep],
        logger: Logger,
        clock: @escaping @Sendable () -> Timestamp
    ) {
        maintenance = LogMaintenance(configuration: configuration, steps: steps, logger: logger)
        self.logger = logger
        self.clock = clock
    }

    /// Call once.
    package func start() throws(WorkerThreadError) {
        let worker = try WorkerThread(name: "log-maintenance") { [self] in
            var pause = 0
            var due: Timestamp?
            while case .timedOut = alarm.takeAll(timeoutMilliseconds: pause) { pause = run(&due) }
        }
        thread.withLock { $0 = worker }
    }

    /// Blocks until a run in progress has been aborted. The next run does the remaining work.
    package func stop() {
        alarm.close()
        thread.withLock { $0 }?.join()
    }

    /// Returns the pause until the next run. `due` is the time of the next hourly run; `nil` means now.
    private func run(_ due: inout Timestamp?) -> Int {
        let now = clock()
        do throws(PersistenceError) {
            // If the clock was set back, the run is delayed by at most an hour.
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

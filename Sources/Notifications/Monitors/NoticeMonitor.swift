package import EventModel
package import HTTPModel
package import Logging
package import Persistence
internal import Synchronization

/// Something that happens outside the log. Devices get one notice of it.
package protocol Noticed: Sendable {
    /// `nil` if it is too late for a notice.
    func notice(at now: Timestamp) -> MatterNotice?
}

/// A notice whose key is that of its matter.
package struct MatterNotice: Sendable {
    var notification: Notification
}

/// Raises a notice for each matter that its source names, and counts them for `/metrics`. Every server of a database
/// does so, but a notice has a key and is stored only once.
package final class NoticeMonitor: Sendable {
    /// Reads what there is to tell now.
    package typealias Source = @Sendable (PostgresStore) async throws(PersistenceError) -> [any Noticed]

    /// What is watched.
    package struct Subject: Sendable {
        /// The name in the log, such as `MCP servers`.
        let name: String
        let metric: String
        let help: String

        package static let toolServers = Subject(
            name: "MCP servers",
            metric: "monitor_mcp_servers_failed",
            help: "MCP servers of machines that answered before and fail now."
        )

        package static let machines = Subject(
            name: "machines",
            metric: "monitor_machines_away",
            help: "Machines whose agents went away while their sessions worked, at least five minutes ago."
        )
    }

    private static let pauseSeconds = 5.0

    private let subject: Subject
    private let database: any StoreAccess
    private let logger: Logger
    private let clock: @Sendable () -> Timestamp
    private let source: Source
    private let failures = Mutex(FailureLog())
    private let count = Mutex(0)

    package init(
        _ subject: Subject,
        database: any StoreAccess,
        logger: Logger,
        clock: @escaping @Sendable () -> Timestamp,
        source: @escaping Source
    ) {
        (self.subject, self.database, self.logger, self.clock) = (subject, database, logger, clock)
        self.source = source
    }

    /// Returns when the task is cancelled.
    package func run() async {
        while !Task.isCancelled {
            await check()
            try? await Task.sleep(for: .seconds(NoticeMonitor.pauseSeconds))
        }
    }

    private func check() async {
        // The supervisor logs that the database is unavailable.
        guard let store = try? database.store() else { return }
        do throws(PersistenceError) {
            let (found, now) = (try await source(store), clock())
            count.withLock { $0 = found.count }
            try await store.raise(found.compactMap { $0.notice(at: now)?.notification }, now: now)
            guard failures.withLock({ $0.succeeded() }) else { return }
            logger.info("\(subject.name) are watched again")
        } catch {
            guard failures.withLock({ $0.failed(error) }) else { return }
            logger.error("\(subject.name) not watched", metadata: ["error": "\(error)"])
        }
    }

    package func write(to text: inout PrometheusText) {
        text.gauge(subject.metric, subject.help, Double(count.withLock { $0 }))
    }
}

package import EventModel
package import HTTPModel
package import Logging
package import Persistence
internal import Synchronization

/// Raises a notice for each MCP server that begins to fail, and counts those that fail for `/metrics`. Every server of
/// a database does so, but a notice has a key and is stored only once.
package final class ToolServerMonitor: Sendable {
    /// Reads the MCP servers that fail.
    package typealias Source = @Sendable (PostgresStore) async throws(PersistenceError) -> [FailedServer]

    private static let pauseSeconds = 5.0

    private let database: any StoreAccess
    private let logger: Logger
    private let clock: @Sendable () -> Timestamp
    private let source: Source
    private let failures = Mutex(FailureLog())
    private let count = Mutex(0)

    package init(
        database: any StoreAccess,
        logger: Logger,
        clock: @escaping @Sendable () -> Timestamp,
        source: @escaping Source
    ) {
        (self.database, self.logger, self.clock, self.source) = (database, logger, clock, source)
    }

    /// Returns when the task is cancelled.
    package func run() async {
        while !Task.isCancelled {
            await check()
            try? await Task.sleep(for: .seconds(ToolServerMonitor.pauseSeconds))
        }
    }

    private func check() async {
        // The supervisor logs that the database is unavailable.
        guard let store = try? database.store() else { return }
        do throws(PersistenceError) {
            let (failed, now) = (try await source(store), clock())
            count.withLock { $0 = failed.count }
            try await store.raise(failed.compactMap { $0.notice(at: now) }, now: now)
            guard failures.withLock({ $0.succeeded() }) else { return }
            logger.info("MCP servers are watched again")
        } catch {
            guard failures.withLock({ $0.failed(error) }) else { return }
            logger.error("MCP servers not watched", metadata: ["error": "\(error)"])
        }
    }

    package func write(to text: inout PrometheusText) {
        text.gauge(
            "monitor_mcp_servers_failed",
            "MCP servers of machines that answered before and fail now.",
            Double(count.withLock { $0 })
        )
    }
}

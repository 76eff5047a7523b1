import EventModel
import Persistence
import Synchronization
import Workers

/// A started writer with its projectors and its feed, and all that it committed.
package final class WriterHarness: Sendable {
    package let writer: EventWriter
    package let projectors: Projectors
    package let feed: LogFeed
    private let configuration: PersistenceConfiguration
    private let log: CommitLog

    private final class CommitLog: CommitObserver {
        let batches = Mutex<[CommittedBatch]>([])

        func committed(_ batch: CommittedBatch) { batches.withLock { $0.append(batch) } }
    }

    /// - Parameter hears: whether the feed is told of commits, as that of the writer's own server is.
    package init(_ configuration: PersistenceConfiguration, hears: Bool = true) throws {
        let log = CommitLog()
        self.log = log
        self.configuration = configuration
        let projectors = Projectors(configuration: configuration, clock: systemNow, logger: quiet)
        self.projectors = projectors
        feed = LogFeed(configuration: configuration, clock: systemNow, logger: quiet, projectors: projectors)
        writer = EventWriter(
            configuration: configuration,
            logger: quiet,
            clock: systemNow,
            observers: hears ? [log, feed] : [log]
        )
        try projectors.start()
        try feed.start()
        try writer.start()
    }

    /// The tables hold all that was committed, if the database can be reached.
    package func stop() {
        writer.stop()
        _ = try? waitUntilProjected(configuration)
        feed.stop()
        projectors.stop()
    }

    package var batches: [CommittedBatch] { log.batches.withLock { $0 } }
    package var committed: [CommittedEvent] { batches.flatMap(\.events) }

    /// A started reader that sees what was committed.
    package func makeReader(_ configuration: PersistenceConfiguration) throws -> PostgresStore {
        let store = PostgresStore(configuration: configuration, logger: quiet, projectors: projectors)
        try store.start()
        return store
    }

    package func append(_ events: [MonitorEvent]) async -> [AppendOutcome] {
        await withCheckedContinuation { continuation in
            let taken = writer.append(events) { continuation.resume(returning: $0) }
            if !taken { continuation.resume(returning: []) }
        }
    }

    /// As a client that was told to come back does.
    package func appendUntilAvailable(_ events: [MonitorEvent]) async -> [AppendOutcome] {
        for _ in 0..<400 {
            let outcomes = await append(events)
            let isUnavailable = outcomes.contains { if case .unavailable = $0 { true } else { false } }
            if !isUnavailable { return outcomes }
            try? await Task.sleep(for: .milliseconds(50))
        }
        return []
    }

    /// Waits until the status satisfies `condition`; false after 20 s.
    package func wait(for condition: (WriterStatus) -> Bool) async -> Bool {
        for _ in 0..<2000 {
            if condition(writer.status) { return true }
            try? await Task.sleep(for: .milliseconds(10))
        }
        return false
    }
}

extension AppendOutcome {
    package var seq: Int64? {
        switch self {
        case .accepted(let seq), .duplicate(let seq): seq
        case .rejected, .unavailable: nil
        }
    }
}

package struct NotProjected: Error {}

/// Waits until the projections hold the whole log, for 20 s.
package func waitUntilProjected(_ configuration: PersistenceConfiguration) throws {
    let connection = try PQConnection(
        conninfo: configuration.conninfo,
        applicationName: "test",
        replyTimeoutMilliseconds: 20_000
    )
    let sql = """
        SELECT count(*) FROM projections p, log_head h
        WHERE p.name <> 'push' AND (p.epoch, p.seq) = (h.epoch, h.last_seq)
        """
    for _ in 0..<2000 {
        if try connection.query(Statement("projected", sql)).firstValue() == Int64(2) { return }
        WorkerThread.sleep(milliseconds: 10)
    }
    throw NotProjected()
}

import EventModel
import Foundation
import Synchronization

@testable import Persistence

/// A started writer, and all that it handed to `onCommit`.
final class WriterHarness: Sendable {
    let writer: EventWriter
    private let log: CommitLog

    private final class CommitLog: Sendable {
        let batches = Mutex<[CommittedBatch]>([])
    }

    init(_ configuration: PersistenceConfiguration) throws {
        let log = CommitLog()
        self.log = log
        writer = EventWriter(configuration: configuration, logger: quiet, clock: systemNow) { batch in
            log.batches.withLock { $0.append(batch) }
        }
        try writer.start()
    }

    var batches: [CommittedBatch] { log.batches.withLock { $0 } }
    var committed: [CommittedEvent] { batches.flatMap(\.events) }

    /// A started reader that sees what this writer has committed.
    func makeReader(_ configuration: PersistenceConfiguration) throws -> PostgresStore {
        let writer = writer
        let store = PostgresStore(configuration: configuration, logger: quiet, settle: { await writer.settle() })
        try store.start()
        return store
    }

    func append(_ events: [MonitorEvent]) async -> [AppendOutcome] {
        await withCheckedContinuation { continuation in
            let taken = writer.append(events) { continuation.resume(returning: $0) }
            if !taken { continuation.resume(returning: []) }
        }
    }

    /// As a client that was told to come back does.
    func appendUntilAvailable(_ events: [MonitorEvent]) async -> [AppendOutcome] {
        for _ in 0..<200 {
            let outcomes = await append(events)
            let isUnavailable = outcomes.contains { if case .unavailable = $0 { true } else { false } }
            if !isUnavailable { return outcomes }
            try? await Task.sleep(for: .milliseconds(50))
        }
        return []
    }

    /// Waits until the status satisfies `condition`; false after 20 s.
    func wait(for condition: (WriterStatus) -> Bool) async -> Bool {
        for _ in 0..<2000 {
            if condition(writer.status) { return true }
            try? await Task.sleep(for: .milliseconds(10))
        }
        return false
    }
}

extension AppendOutcome {
    var seq: Int64? {
        switch self {
        case .accepted(let seq), .duplicate(let seq): seq
        case .rejected, .unavailable: nil
        }
    }
}

import EventModel
import Synchronization

/// The writer's status, written by its thread and read by any.
final class SharedWriterStatus: Sendable {
    private let status: Mutex<WriterStatus>

    init(now: Timestamp) {
        status = Mutex(WriterStatus(since: now))
    }

    var snapshot: WriterStatus { status.withLock { $0 } }
    var isAvailable: Bool { status.withLock { $0.isAvailable } }

    func connected(at time: Timestamp) {
        status.withLock { status in
            status.isAvailable = true
            status.since = time
            status.connections += 1
        }
    }

    func disconnected(_ error: PersistenceError, at time: Timestamp) {
        status.withLock { status in
            if status.isAvailable { status.since = time }
            status.isAvailable = false
            status.lastError = error.description
            if error.sqlState?.isShortage == true { status.lastShortageAt = time }
        }
    }

    func committed(_ plan: BatchPlan) {
        status.withLock { status in
            status.batches += 1
            status.lastShortageAt = nil
            status.lastBatchEvents = plan.fresh.count
            status.largestBatchEvents = max(status.largestBatchEvents, plan.fresh.count)
        }
    }

    /// A commit, or a look for space, failed for lack of space.
    func shortage(at time: Timestamp) {
        status.withLock { $0.lastShortageAt = time }
    }

    func shortageIsOver() {
        status.withLock { $0.lastShortageAt = nil }
    }

    func answered(_ outcomes: [AppendOutcome], microseconds: Int64) {
        status.withLock { status in
            for outcome in outcomes {
                switch outcome {
                case .accepted: status.accepted += 1
                case .duplicate: status.duplicates += 1
                case .rejected: status.rejected += 1
                case .unavailable: status.unavailable += 1
                }
            }
            status.lastCommitMicroseconds = microseconds
            status.longestCommitMicroseconds = max(status.longestCommitMicroseconds, microseconds)
            status.totalCommitMicroseconds += microseconds
        }
    }

    func refused(events: Int) {
        status.withLock { $0.unavailable += Int64(events) }
    }
}

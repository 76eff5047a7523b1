package import EventModel

/// A snapshot of the writer, for health and metrics. Counters only grow.
package struct WriterStatus: Sendable, Equatable {
    /// Whether the writer is connected to a database that accepts writes.
    package var isAvailable = false
    /// When `isAvailable` last changed.
    package var since: Timestamp
    /// Why the writer is, or last was, unavailable. Safe to print.
    package var lastError: String?
    /// When a commit last failed because of a shortage such as a full disk; `nil` after a successful commit.
    package var lastShortageAt: Timestamp?
    package var queuedBytes = 0
    package var queuedRequests = 0
    package var batches: Int64 = 0
    package var accepted: Int64 = 0
    package var duplicates: Int64 = 0
    package var rejected: Int64 = 0
    package var unavailable: Int64 = 0
    /// Number of connections made, including the first.
    package var connections: Int64 = 0
    /// Events in the last batch.
    package var lastBatchEvents = 0
    package var largestBatchEvents = 0
    /// Microseconds from taking a batch out of the queue to its commit.
    package var lastCommitMicroseconds: Int64 = 0
    package var longestCommitMicroseconds: Int64 = 0
    package var totalCommitMicroseconds: Int64 = 0

    init(since: Timestamp) {
        self.since = since
    }
}

public import EventModel

/// A snapshot of the writer, for health and metrics. Counters only grow.
public struct WriterStatus: Sendable, Equatable {
    /// Whether the writer is connected to a database that accepts writes.
    public var isAvailable = false
    /// When `isAvailable` last changed.
    public var since: Timestamp
    /// Why the writer is, or last was, unavailable. Safe to print.
    public var lastError: String?
    /// When a commit last failed because of a shortage such as a full disk; `nil` after a successful commit.
    public var lastShortageAt: Timestamp?
    public var queuedBytes = 0
    public var queuedRequests = 0
    public var batches: Int64 = 0
    public var accepted: Int64 = 0
    public var duplicates: Int64 = 0
    public var rejected: Int64 = 0
    public var unavailable: Int64 = 0
    /// Number of connections made, including the first.
    public var connections: Int64 = 0
    /// Events in the last batch.
    public var lastBatchEvents = 0
    public var largestBatchEvents = 0
    /// Microseconds from taking a batch out of the queue to its commit.
    public var lastCommitMicroseconds: Int64 = 0
    public var longestCommitMicroseconds: Int64 = 0
    public var totalCommitMicroseconds: Int64 = 0

    init(since: Timestamp) {
        self.since = since
    }
}

public import EventModel

/// A snapshot of the spool, for health and metrics.
public struct SpoolStatus: Sendable, Equatable {
    public enum State: Sendable, Equatable {
        case ready
        /// At its size limit: nothing is accepted until a segment has been replayed.
        case full
        /// The last write failed. It is tried again with the first post after a pause. The text is safe to print.
        case failed(String)
    }

    public var state: State
    public var events: Int
    /// Total size of the waiting events' records.
    public var bytes: Int
    public var fileBytes: Int
    public var byteLimit: Int
    /// When the oldest of the waiting events was received.
    public var oldestWaiting: Timestamp?
    public var counts = Counts()

    public struct Counts: Sendable, Equatable {
        /// This count and the next two are since the start.
        public var spooled: Int64 = 0
        public var replayed: Int64 = 0
        /// Permanently rejected by the database and written to the side file.
        public var rejected: Int64 = 0
        /// The size of that file. It shrinks only when a person removes it.
        public var rejectedBytes: Int64 = 0
        /// Damaged files that still exist.
        public var damagedSegments: Int64 = 0
    }
}

public import EventModel

/// A snapshot of the spool, for health and metrics.
public struct SpoolStatus: Sendable, Equatable {
    public enum State: Sendable, Equatable {
        case ready
        /// At its bound: nothing is taken until a segment has been replayed.
        case full
        /// The last write failed; it is tried again with the next post after a pause. The text is safe to print.
        case failed(String)
    }

    public var state: State
    public var events: Int
    /// Of their records.
    public var bytes: Int
    public var fileBytes: Int
    public var byteLimit: Int
    /// When the oldest of the waiting events was received.
    public var oldestWaiting: Timestamp?
    public var counts = Counts()

    public struct Counts: Sendable, Equatable {
        /// Since the start, as the next two.
        public var spooled: Int64 = 0
        public var replayed: Int64 = 0
        /// Refused by the database for good and written to the side file.
        public var rejected: Int64 = 0
        /// Of that file, until a person removes it.
        public var rejectedBytes: Int64 = 0
        /// Files set aside that are still there.
        public var damagedSegments: Int64 = 0
    }
}

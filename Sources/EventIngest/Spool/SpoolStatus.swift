package import EventModel

/// A snapshot of the spool, for health and metrics.
package struct SpoolStatus: Sendable, Equatable {
    package enum State: Sendable, Equatable {
        case ready
        /// At its size limit: nothing is accepted until a segment has been replayed.
        case full
        /// The last write failed. It is tried again with the first post after a pause. The text is safe to print.
        case failed(String)
    }

    package var state: State
    package var events: Int
    /// Total size of the waiting events' records.
    package var bytes: Int
    package var fileBytes: Int
    package var byteLimit: Int
    /// When the oldest of the waiting events was received.
    package var oldestWaiting: Timestamp?
    package var counts = Counts()

    package struct Counts: Sendable, Equatable {
        /// This count and the next two are since the start.
        package var spooled: Int64 = 0
        package var replayed: Int64 = 0
        /// Permanently rejected by the database and written to the side file.
        package var rejected: Int64 = 0
        /// The size of that file. It shrinks only when a person removes it.
        package var rejectedBytes: Int64 = 0
        /// Damaged files that still exist.
        package var damagedSegments: Int64 = 0
    }
}

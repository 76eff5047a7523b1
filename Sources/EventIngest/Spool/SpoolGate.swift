package import EventModel

/// Decides where a post goes, and keeps the counts behind that decision. Does no I/O.
///
/// The order of a machine's events depends on one rule: while any spooled event is not settled, all new events go to
/// the spool. `waitingEvents` includes events whose write is still in progress, so no post overtakes them.
package struct SpoolGate: Sendable, Equatable {
    package enum Decision: Sendable, Equatable {
        case database
        case spool
        /// Answer 503. The value is in seconds.
        case refuse(retryAfter: Int)
    }

    /// Seconds after a failed write during which nothing is accepted. Then one write is tried.
    static let pauseSeconds = 1.0

    package let byteLimit: Int
    /// Number of events that were accepted and are not yet committed, rejected or failed.
    package private(set) var waitingEvents = 0
    package private(set) var waitingBytes = 0
    /// The part of `waitingEvents` that is not durable yet.
    package private(set) var unwrittenEvents = 0
    package private(set) var unwrittenBytes = 0
    /// Total size of all files in the directory.
    package private(set) var fileBytes = 0
    /// A post was refused for lack of space, and no space has been freed since.
    package private(set) var isAtBound = false
    package private(set) var failure: SpoolError?
    private var failedAt: Timestamp?
    private var isOpen = false

    package init(byteLimit: Int) {
        self.byteLimit = byteLimit
    }

    package func decision(isWriterAvailable: Bool, now: Timestamp) -> Decision {
        if isWriterAvailable && waitingEvents == 0 { return .database }
        return isUsable(now) && !isAtBound && hasRoom(for: 1) ? .spool : .refuse(retryAfter: 2)
    }

    /// Returns false if nothing can be accepted now. Otherwise the events count as waiting until `wrote` and
    /// `settled`, or `failed`.
    mutating func admit(events: Int, bytes: Int, now: Timestamp) -> Bool {
        guard isUsable(now) else { return false }
        guard hasRoom(for: bytes) else {
            // Only removing a file frees space. A post that is too large for an empty spool says nothing about the
            // next one.
            isAtBound = fileBytes + unwrittenBytes > 0
            return false
        }
        waitingEvents += events
        waitingBytes += bytes
        unwrittenEvents += events
        unwrittenBytes += bytes
        return true
    }

    /// Undoes `admit` for events that were not queued.
    mutating func withdraw(events: Int, bytes: Int) {
        waitingEvents -= events
        waitingBytes -= bytes
        unwrittenEvents -= events
        unwrittenBytes -= bytes
    }

    mutating func wrote(events: Int, bytes: Int) {
        unwrittenEvents -= events
        unwrittenBytes -= bytes
        fileBytes += bytes
        failure = nil
        failedAt = nil
    }

    mutating func failed(events: Int, bytes: Int, _ error: SpoolError, at now: Timestamp) {
        withdraw(events: events, bytes: bytes)
        failure = error
        failedAt = now
    }

    /// Call when events have been committed, rejected, or lost to damage.
    mutating func settled(events: Int, bytes: Int) {
        waitingEvents -= events
        waitingBytes -= bytes
    }

    mutating func addedFile(bytes: Int) {
        fileBytes += bytes
    }

    /// Space has been freed, so the next write may succeed.
    mutating func removedFile(bytes: Int) {
        fileBytes -= bytes
        isAtBound = false
        failure = nil
        failedAt = nil
    }

    /// Takes the counts found on disk.
    mutating func open(events: Int, bytes: Int, fileBytes: Int) {
        waitingEvents = events
        waitingBytes = bytes
        self.fileBytes = fileBytes
        isOpen = true
    }

    mutating func close() {
        isOpen = false
    }

    private func hasRoom(for bytes: Int) -> Bool { fileBytes + unwrittenBytes + bytes <= byteLimit }

    private func isUsable(_ now: Timestamp) -> Bool {
        guard isOpen else { return false }
        guard let failedAt else { return true }
        // Setting the clock back does not extend the pause.
        return !(0..<SpoolGate.pauseSeconds).contains(now.seconds(since: failedAt))
    }
}

public import EventModel

/// Says where a post goes, and keeps the accounts that the answer follows from. Without I/O.
///
/// The order of a machine's events rests on one rule: while anything that was taken into the spool is not yet settled
/// there, everything new goes behind it. `waitingEvents` counts from before the write, so no post overtakes one whose
/// write is still under way.
public struct SpoolGate: Sendable, Equatable {
    public enum Decision: Sendable, Equatable {
        case database
        case spool
        /// 503. The time is in seconds.
        case refuse(retryAfter: Int)
    }

    /// How long after a failed write nothing is taken. Then one more is tried.
    static let pauseSeconds = 1.0

    public let byteLimit: Int
    /// Taken in and neither committed, rejected nor failed.
    public private(set) var waitingEvents = 0
    public private(set) var waitingBytes = 0
    /// The part of them that is not durable yet.
    public private(set) var unwrittenEvents = 0
    public private(set) var unwrittenBytes = 0
    /// Of all files in the directory.
    public private(set) var fileBytes = 0
    /// Something was refused for want of room, and none has been made since.
    public private(set) var isAtBound = false
    public private(set) var failure: SpoolError?
    private var failedAt: Timestamp?
    private var isOpen = false

    public init(byteLimit: Int) {
        self.byteLimit = byteLimit
    }

    public func decision(isWriterAvailable: Bool, now: Timestamp) -> Decision {
        if isWriterAvailable && waitingEvents == 0 { return .database }
        return isUsable(now) && !isAtBound && hasRoom(for: 1) ? .spool : .refuse(retryAfter: 2)
    }

    /// False: nothing may be taken now. True: counted as waiting until `wrote` and `settled`, or `failed`.
    mutating func admit(events: Int, bytes: Int, now: Timestamp) -> Bool {
        guard isUsable(now) else { return false }
        guard hasRoom(for: bytes) else {
            // Only the removal of a file makes room; what is too large for an empty spool says nothing about the next.
            isAtBound = fileBytes + unwrittenBytes > 0
            return false
        }
        waitingEvents += events
        waitingBytes += bytes
        unwrittenEvents += events
        unwrittenBytes += bytes
        return true
    }

    /// Undoes `admit`, for what was not put into the queue after all.
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

    /// Committed, rejected, or lost to damage.
    mutating func settled(events: Int, bytes: Int) {
        waitingEvents -= events
        waitingBytes -= bytes
    }

    mutating func addedFile(bytes: Int) {
        fileBytes += bytes
    }

    /// There is room again, so another write may work as well.
    mutating func removedFile(bytes: Int) {
        fileBytes -= bytes
        isAtBound = false
        failure = nil
        failedAt = nil
    }

    /// With what was found on disk.
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
        // A clock that was set back must not make the pause longer.
        return !(0..<SpoolGate.pauseSeconds).contains(now.seconds(since: failedAt))
    }
}

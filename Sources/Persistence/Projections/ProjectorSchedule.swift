import EventModel
import Workers

/// Decides when a projector connects, requests the lease, reads, writes and sleeps. Times must come from a monotonic
/// clock.
struct ProjectorSchedule {
    enum Action: Equatable {
        case connect
        /// Requests the lease without waiting for it.
        case takeLease
        /// Notifies the lease holder that a read waits.
        case askLeader
        /// Folds committed events that are not folded yet.
        case fold
        case write
        /// Queries the end of the log.
        case check
        case wait(milliseconds: Int)
    }

    private enum Standing {
        case disconnected(retryAt: Timestamp)
        case following(retryAt: Timestamp)
        case leading
    }

    /// Seconds between two attempts to acquire the lease.
    static let leaseSeconds = 1.0
    /// Seconds without the lease after releasing it on request.
    static let yieldSeconds = 3.0
    /// Seconds between a leader's queries of the log's end when it receives no notice.
    static let checkSeconds = 1.0
    /// Seconds until the cursor alone is written, if the folded events changed no row. If a read waits for the cursor,
    /// it is written at once.
    static let cursorSeconds = 1.0
    /// Number of unwritten events above which the projector writes at once.
    static let longestTail: Int64 = 20_000

    private let pacing: ProjectionPacing
    private var standing: Standing
    private var backoff = Backoff(0.25...5)
    /// The last known end of the log.
    private var end: Int64 = 0
    private var folded: Int64 = 0
    private var written: Int64 = 0
    private var unwrittenSince: Timestamp?
    /// Whether rows are unwritten, and not only the cursor.
    private var hasChanges = false
    private var foldedAt: Timestamp
    private var restsUntil: Timestamp
    private var checkAt: Timestamp
    private var awaited: Int64 = 0
    /// Whether a read waits, and the leader is to be told.
    private var isAwaited = false

    init(pacing: ProjectionPacing, now: Timestamp) {
        self.pacing = pacing
        standing = .disconnected(retryAt: now)
        (restsUntil, checkAt, foldedAt) = (now, now, now)
    }

    var isLeading: Bool {
        if case .leading = standing { true } else { false }
    }

    /// Some folded events are not in the tables yet.
    var hasUnwritten: Bool { folded > written }
    /// The last known end of the log.
    var knownEnd: Int64 { end }

    mutating func connected(at now: Timestamp) { standing = .following(retryAt: now) }

    /// The connection is lost, and the lease with it. The delay before the next attempt grows each time.
    mutating func lost(at now: Timestamp) {
        standing = .disconnected(retryAt: now.adding(seconds: backoff.next()))
    }

    mutating func leaseRefused(at now: Timestamp) {
        standing = .following(retryAt: now.adding(seconds: ProjectorSchedule.leaseSeconds))
        backoff.reset()
    }

    mutating func yielded(at now: Timestamp) {
        standing = .following(retryAt: now.adding(seconds: ProjectorSchedule.yieldSeconds))
    }

    /// The lease is held. No event after the cursor is folded.
    mutating func began(at cursor: Int64, end: Int64, now: Timestamp) {
        standing = .leading
        (folded, written) = (cursor, cursor)
        self.end = end
        (unwrittenSince, hasChanges) = (nil, false)
        isAwaited = false
        checkAt = now.adding(seconds: ProjectorSchedule.checkSeconds)
    }

    /// The log ends at `seq` or later.
    mutating func logReaches(_ seq: Int64) {
        end = max(end, seq)
    }

    /// A read waits for the position. `nil` means that a read on another server waits for the log's end.
    mutating func awaits(_ seq: Int64?, at now: Timestamp) {
        guard isLeading else {
            isAwaited = true
            return
        }
        if let seq {
            logReaches(seq)
            awaited = max(awaited, seq)
        } else {
            checkAt = now
            awaited = .max
        }
    }

    mutating func checked(end seq: Int64, at now: Timestamp) {
        logReaches(seq)
        checkAt = now.adding(seconds: ProjectorSchedule.checkSeconds)
        if awaited == .max { awaited = end }
    }

    /// - Parameter hasChanges: whether the next write has rows besides the cursor.
    mutating func folded(through seq: Int64, hasChanges: Bool, at now: Timestamp) {
        folded = max(folded, seq)
        foldedAt = now
        guard folded > written else { return }
        if unwrittenSince == nil { unwrittenSince = now }
        self.hasChanges = hasChanges
    }

    mutating func wrote(through seq: Int64, took seconds: Double, at now: Timestamp) {
        written = seq
        folded = max(folded, seq)
        end = max(end, seq)
        backoff.reset()
        unwrittenSince = folded > written ? now : nil
        if unwrittenSince == nil { hasChanges = false }
        restsUntil = now.adding(seconds: seconds * Double(pacing.restFactor))
    }

    /// The leader was told.
    mutating func asked() { isAwaited = false }

    func next(at now: Timestamp) -> Action {
        switch standing {
        case .disconnected(let retryAt):
            return now >= retryAt ? .connect : wait(until: retryAt, now)
        case .following(let retryAt):
            if now >= retryAt { return .takeLease }
            return isAwaited ? .askLeader : wait(until: retryAt, now)
        case .leading: return nextOfLeader(at: now)
        }
    }

    private func nextOfLeader(at now: Timestamp) -> Action {
        if awaited == .max, now >= checkAt { return .check }
        if folded - written >= ProjectorSchedule.longestTail { return .write }
        if folded < end { return .fold }
        guard folded > written, let writeAt else {
            return now >= checkAt ? .check : wait(until: checkAt, now)
        }
        if awaited > written || now >= writeAt { return .write }
        if now >= checkAt { return .check }
        let wake = min(writeAt, checkAt)
        return wait(until: isGathering(at: now) ? min(wake, gathersUntil) : wake, now)
    }

    private var writeAt: Timestamp? {
        guard let unwrittenSince else { return nil }
        let seconds = hasChanges ? delaySeconds : max(delaySeconds, ProjectorSchedule.cursorSeconds)
        let due = unwrittenSince.adding(seconds: seconds)
        return max(due, restsUntil)
    }

    private var delaySeconds: Double { Double(pacing.delayMilliseconds) / 1000 }

    private var gathersUntil: Timestamp { foldedAt.adding(seconds: delaySeconds) }

    /// Whether events that arrive now need not be folded at once, because the next write or fold comes soon.
    func isGathering(at now: Timestamp) -> Bool {
        isLeading && hasUnwritten && (hasChanges || now < gathersUntil)
    }

    private func wait(until time: Timestamp, _ now: Timestamp) -> Action {
        .wait(milliseconds: max(1, Int((time.microseconds - now.microseconds + 999) / 1000)))
    }
}

import EventModel

/// Decides what a projector does next: when it connects, asks for the lease, reads, writes, and sleeps. Times are those
/// of a clock that does not jump.
struct ProjectorSchedule {
    enum Action: Equatable {
        case connect
        /// Asks for the lease without waiting for it.
        case takeLease
        /// Tells whoever holds the lease that events were committed, or that a read waits.
        case announce(isAwaited: Bool)
        /// Takes in events that are committed and not folded.
        case fold
        case write
        /// Asks where the log ends.
        case check
        case wait(milliseconds: Int)
    }

    private enum Standing {
        case disconnected(retryAt: Timestamp)
        case following(retryAt: Timestamp)
        case leading
    }

    /// Between two attempts to get the lease.
    static let leaseSeconds = 1.0
    /// After giving up the lease on request.
    static let yieldSeconds = 3.0
    /// How often a leader asks for the log's end without being told of a commit.
    static let checkSeconds = 1.0
    /// Beyond so many events that are not written it writes at once.
    static let longestTail: Int64 = 20_000

    private let pacing: ProjectionPacing
    private var standing: Standing
    private var backoff = 0.25
    /// Where the log ends, as far as is known.
    private var end: Int64 = 0
    private var folded: Int64 = 0
    private var written: Int64 = 0
    private var unwrittenSince: Timestamp?
    private var restsUntil: Timestamp
    private var checkAt: Timestamp
    private var awaited: Int64 = 0
    /// Committed by this server, and not told to the leader.
    private var unannounced = false
    private var isAwaitedElsewhere = false
    private var announceAt: Timestamp

    init(pacing: ProjectionPacing, now: Timestamp) {
        self.pacing = pacing
        standing = .disconnected(retryAt: now)
        (restsUntil, checkAt, announceAt) = (now, now, now)
    }

    var isLeading: Bool {
        if case .leading = standing { true } else { false }
    }

    /// Events are folded that the tables lack.
    var hasUnwritten: Bool { folded > written }
    /// Where the log ends, as far as is known.
    var knownEnd: Int64 { end }

    mutating func connected(at now: Timestamp) { standing = .following(retryAt: now) }

    /// The connection is gone, and with it the lease. The next attempt is due later each time.
    mutating func lost(at now: Timestamp) {
        standing = .disconnected(retryAt: now.adding(seconds: backoff))
        backoff = min(backoff * 2, 5)
    }

    mutating func leaseRefused(at now: Timestamp) {
        standing = .following(retryAt: now.adding(seconds: ProjectorSchedule.leaseSeconds))
        backoff = 0.25
    }

    mutating func yielded(at now: Timestamp) {
        standing = .following(retryAt: now.adding(seconds: ProjectorSchedule.yieldSeconds))
    }

    /// The lease is held, and nothing is folded beyond the cursor.
    mutating func began(at cursor: Int64, end: Int64, now: Timestamp) {
        standing = .leading
        (folded, written) = (cursor, cursor)
        self.end = end
        unwrittenSince = nil
        unannounced = false
        isAwaitedElsewhere = false
        checkAt = now.adding(seconds: ProjectorSchedule.checkSeconds)
    }

    /// The log goes up to `seq` at least.
    mutating func logReaches(_ seq: Int64) {
        end = max(end, seq)
    }

    /// This server has committed events.
    mutating func committed(through seq: Int64) {
        if isLeading { logReaches(seq) } else { unannounced = true }
    }

    /// Another server says that it has committed something.
    mutating func told(at now: Timestamp) { checkAt = now }

    /// A read waits for the place; `nil`: one of another server, for the log's end.
    mutating func awaits(_ seq: Int64?, at now: Timestamp) {
        guard isLeading else {
            isAwaitedElsewhere = true
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

    mutating func folded(through seq: Int64, at now: Timestamp) {
        folded = max(folded, seq)
        if folded > written, unwrittenSince == nil { unwrittenSince = now }
    }

    mutating func wrote(through seq: Int64, took seconds: Double, at now: Timestamp) {
        written = seq
        folded = max(folded, seq)
        end = max(end, seq)
        backoff = 0.25
        unwrittenSince = folded > written ? now : nil
        restsUntil = now.adding(seconds: seconds * Double(pacing.restFactor))
    }

    mutating func announced(at now: Timestamp) {
        unannounced = false
        isAwaitedElsewhere = false
        announceAt = now.adding(seconds: Double(pacing.delayMilliseconds) / 1000)
    }

    func next(at now: Timestamp) -> Action {
        switch standing {
        case .disconnected(let retryAt):
            return now >= retryAt ? .connect : wait(until: retryAt, now)
        case .following(let retryAt):
            if now >= retryAt { return .takeLease }
            if isAwaitedElsewhere { return .announce(isAwaited: true) }
            guard unannounced else { return wait(until: retryAt, now) }
            return now >= announceAt ? .announce(isAwaited: false) : wait(until: min(announceAt, retryAt), now)
        case .leading: return nextOfLeader(at: now)
        }
    }

    private func nextOfLeader(at now: Timestamp) -> Action {
        if awaited == .max, now >= checkAt { return .check }
        if folded - written >= ProjectorSchedule.longestTail { return .write }
        if folded < end { return .fold }
        guard folded > written, let unwrittenSince else {
            return now >= checkAt ? .check : wait(until: checkAt, now)
        }
        let due = max(unwrittenSince.adding(seconds: Double(pacing.delayMilliseconds) / 1000), restsUntil)
        if awaited > written || now >= due { return .write }
        return now >= checkAt ? .check : wait(until: min(due, checkAt), now)
    }

    private func wait(until time: Timestamp, _ now: Timestamp) -> Action {
        .wait(milliseconds: max(1, Int((time.microseconds - now.microseconds + 999) / 1000)))
    }
}

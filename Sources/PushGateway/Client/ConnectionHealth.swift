/// Decides by PING whether an open connection is alive (RFC 9113 section 6.7). Times are from the monotonic clock.
struct ConnectionHealth: Sendable {
    enum Action: Sendable, Equatable {
        case none
        case ping
        case dead
    }

    private let pingAfterIdle: Double
    private let checkAfterIdle: Double
    private let pingTimeout: Double
    /// When a push was last sent or answered, or the connection was opened.
    private var lastPush: Double
    /// The same time, or the time of a later PONG.
    private var lastUse: Double
    private var pingSentAt: Double?
    /// A push was not answered, and no PING has been answered since.
    private(set) var isSuspect = false

    init(pingAfterIdle: Double, checkAfterIdle: Double, pingTimeout: Double, now: Double) {
        self.pingAfterIdle = pingAfterIdle
        self.checkAfterIdle = checkAfterIdle
        self.pingTimeout = pingTimeout
        lastPush = now
        lastUse = now
    }

    /// Seconds without a push. PINGs do not count.
    func secondsWithoutPush(now: Double) -> Double { now - lastPush }

    /// The time taken to open the connection does not count as silence, because the first push follows only now.
    mutating func opened(now: Double) { answered(now: now) }

    mutating func pushSent(now: Double) -> Action {
        let isStale = now - lastUse >= checkAfterIdle
        answered(now: now)
        return isStale ? ping(now: now) : .none
    }

    mutating func answered(now: Double) {
        lastPush = now
        lastUse = now
    }

    mutating func answerMissing(now: Double) -> Action {
        isSuspect = true
        return ping(now: now)
    }

    mutating func ponged(now: Double) {
        pingSentAt = nil
        isSuspect = false
        lastUse = now
    }

    mutating func tick(now: Double) -> Action {
        if let pingSentAt { return now >= pingSentAt + pingTimeout ? .dead : .none }
        return now - lastUse >= pingAfterIdle ? ping(now: now) : .none
    }

    var nextTick: Double { pingSentAt.map { $0 + pingTimeout } ?? lastUse + pingAfterIdle }

    private mutating func ping(now: Double) -> Action {
        guard pingSentAt == nil else { return .none }
        pingSentAt = now
        return .ping
    }
}

/// Whether an open connection is still alive, by PING (RFC 9113 section 6.7). Times are the monotonic clock's.
struct ConnectionHealth: Sendable {
    enum Action: Sendable, Equatable {
        case none
        case ping
        case dead
    }

    private let pingAfterIdle: Double
    private let checkAfterIdle: Double
    private let pingTimeout: Double
    private var lastUse: Double
    private var pingSentAt: Double?
    /// A push went without an answer, and no PING was answered since.
    private(set) var isSuspect = false

    init(pingAfterIdle: Double, checkAfterIdle: Double, pingTimeout: Double, now: Double) {
        self.pingAfterIdle = pingAfterIdle
        self.checkAfterIdle = checkAfterIdle
        self.pingTimeout = pingTimeout
        lastUse = now
    }

    /// Seconds since a push or a PING was last sent or answered.
    func idle(now: Double) -> Double { now - lastUse }

    mutating func pushSent(now: Double) -> Action {
        let isStale = idle(now: now) >= checkAfterIdle
        lastUse = now
        return isStale ? ping(now: now) : .none
    }

    mutating func answered(now: Double) { lastUse = now }

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
        return idle(now: now) >= pingAfterIdle ? ping(now: now) : .none
    }

    var nextTick: Double { pingSentAt.map { $0 + pingTimeout } ?? lastUse + pingAfterIdle }

    private mutating func ping(now: Double) -> Action {
        guard pingSentAt == nil else { return .none }
        pingSentAt = now
        return .ping
    }
}

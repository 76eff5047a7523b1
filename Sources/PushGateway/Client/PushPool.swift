internal import Workers

/// The pushes and connections of one origin. Belongs to the push thread.
final class PushPool<Service: PushService> {
    let origin: PushOrigin
    let settings: PushSettings
    private let plan: PoolPlan
    var queue = PushQueue<PushJob<Service>>()
    /// Pushes whose permission is being asked, by sequence. Each has a stream reserved.
    var asking: [UInt64: PushJob<Service>] = [:]
    var connections: [PushConnection<Service>] = []
    var isResolving = false
    /// Advances with each attempt, so that a dead address is not always tried first.
    var addressRotation = 0
    private var backoff: Backoff
    /// No connection attempt before this time.
    private var nextAttempt = -Double.infinity
    /// Why the last connection failed; `nil` after another one has answered.
    var lastFailure: String?
    /// When a push was last added or a connection closed.
    var usedAt: Double

    init(origin: PushOrigin, settings: PushSettings, now: Double) {
        self.origin = origin
        self.settings = settings
        plan = PoolPlan(maxConnections: max(1, settings.maxConnections), growAfter: settings.growAfter)
        backoff = Backoff(settings.reconnectPause)
        usedAt = now
    }

    /// Nothing is queued, and no connection is open or being opened.
    var isEmpty: Bool { queue.isEmpty && asking.isEmpty && connections.isEmpty && !isResolving }

    /// Whether a push waits, and a stream is free for it.
    var canDispatch: Bool { !queue.isEmpty && connections.reduce(0) { $0 + $1.room } > asking.count }

    /// When to open another connection.
    var nextOpening: Double? {
        guard connections.count < plan.maxConnections * 4 else { return nil }
        let members = connections.filter { $0.isUsable || $0.isOpening }
        return plan.opening(
            members: members.map { PoolPlan.Member(room: $0.room, isProven: $0.budget.isProven) },
            isOpening: isResolving || members.contains { $0.isOpening },
            oldestQueuedAt: queue.oldestQueuedAt,
            notBefore: nextAttempt
        )
    }

    func connectionFailed(now: Double, using random: inout some RandomNumberGenerator) {
        nextAttempt = now + backoff.next(using: &random)
    }

    /// A connection has answered a push.
    func connectionAnswered() {
        backoff.reset()
        nextAttempt = -.infinity
        lastFailure = nil
    }

    /// The connection that has room and the fewest pushes in progress.
    var roomiest: PushConnection<Service>? {
        var best: PushConnection<Service>?
        for connection in connections where connection.room > 0 {
            if let known = best, known.budget.inFlight <= connection.budget.inFlight { continue }
            best = connection
        }
        return best
    }

    /// Connections without a push, and how long each may stay idle.
    private var idleLimits: [(connection: PushConnection<Service>, limit: Double)] {
        connections.filter { $0.isUsable }.enumerated().compactMap { index, connection in
            guard connection.budget.inFlight == 0 else { return nil }
            guard let limit = index == 0 ? settings.lastIdle : settings.spareIdle else { return nil }
            return (connection, limit)
        }
    }

    /// When `closeIdle` has work to do.
    func nextIdleEnd(now: Double) -> Double? {
        idleLimits.map { $0.limit - $0.connection.health.secondsWithoutPush(now: now) + now }.min()
    }

    /// Closes idle connections. All but the last are kept only while they are needed; the settings decide about the
    /// last.
    func closeIdle(now: Double) {
        for (connection, limit) in idleLimits where connection.health.secondsWithoutPush(now: now) >= limit {
            connection.retire(now: now)
        }
    }
}

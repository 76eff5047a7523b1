internal import EventModel
internal import Logging
internal import Synchronization

/// What the push thread shares with the others.
final class PushShared: Sendable {
    let configuration: APNsConfiguration
    let tokens: ProviderTokens
    let context: TLSContext
    let logger: Logger
    let clock: PushClock
    let wakeUp: WakeUp
    let inbox: PushInbox
    let status = Mutex(APNsStatus())

    init(
        configuration: APNsConfiguration,
        tokens: ProviderTokens,
        logger: Logger,
        clock: PushClock
    ) throws(ConnectionError) {
        self.configuration = configuration
        self.tokens = tokens
        self.logger = logger
        self.clock = clock
        context = try TLSContext(caFile: configuration.caFile)
        wakeUp = try WakeUp()
        inbox = PushInbox(byteLimit: configuration.queueByteLimit, wakeUp: wakeUp)
    }
}

/// The push thread: takes submissions, keeps connections, hands pushes to streams and ends every push once.
final class PushLoop {
    let shared: PushShared
    let configuration: APNsConfiguration
    var queue = PushQueue<PushJob>()
    var connections: [APNsConnection] = []
    var isResolving = false
    /// Moves on with each attempt, so that a dead address is not always the first.
    var addressRotation = 0
    var backoff: ReconnectBackoff
    let plan: PoolPlan
    var random = SystemRandomNumberGenerator()
    var status = APNsStatus()
    var stopDeadline: Double?
    private var nextSequence: UInt64 = 0

    init(_ shared: PushShared) {
        self.shared = shared
        configuration = shared.configuration
        backoff = ReconnectBackoff(configuration.reconnectPause)
        plan = PoolPlan(maxConnections: max(1, configuration.maxConnections), growAfter: configuration.growAfter)
    }

    var now: Double { shared.clock.monotonic() }

    /// Returns after `PushInbox.stop`, when every push has ended.
    func run() {
        while !isFinished {
            takeInbox()
            for item in queue.expire(now: now) {
                finish(item.job, item.job.attempts.ended(.expired(lastFailure: status.lastFailure)))
            }
            openIfDue()
            dispatch()
            publishStatus()
            waitAndPerform()
        }
        publishStatus()
    }

    private var isFinished: Bool { stopDeadline != nil && connections.isEmpty && queue.isEmpty }

    private func takeInbox() {
        let delivery = shared.inbox.take()
        if let addresses = delivery.addresses { resolved(addresses) }
        let wall = shared.clock.wall()
        for submission in delivery.submissions {
            nextSequence += 1
            let job = PushJob(
                submission,
                sequence: nextSequence,
                queuedAt: now,
                deadline: now + submission.request.deadline.seconds(since: wall)
            )
            queue.insert(job.queueItem)
        }
        if delivery.isStopping { stop() }
    }

    /// Ends what waits at once, and gives what is under way its time.
    private func stop() {
        for item in queue.removeAll() { finish(item.job, item.job.attempts.ended(.stopped)) }
        if stopDeadline == nil {
            stopDeadline = now + configuration.stopTimeout
            for connection in connections { connection.retire(now: now) }
        }
        if let stopDeadline, now >= stopDeadline {
            for connection in connections { connection.close(ConnectionError(.timedOut, "stopped")) }
        }
        applyEvents()
    }

    private func waitAndPerform() {
        applyEvents()
        // What has just ended may have made room, or come back to the queue.
        guard !isFinished, queue.isEmpty || roomiest == nil else { return }
        let members = connections.filter { $0.interest != nil }
        let readiness = Poller.wait(shared.wakeUp, members.compactMap(\.interest), timeout: timeout())
        let now = now
        for (connection, readiness) in zip(members, readiness) {
            if readiness.isReadable || readiness.isWritable { connection.perform(readiness, now: now) }
            connection.tick(now: now)
            connection.pump(now: now)
        }
        closeSpares(now: now)
        applyEvents()
    }

    /// Seconds until something is due; `nil`: nothing is.
    private func timeout() -> Double? {
        var due = connections.compactMap(\.nextTick)
        if let deadline = queue.nextDeadline { due.append(deadline) }
        if let opening = nextOpening { due.append(opening) }
        if let stopDeadline { due.append(stopDeadline) }
        if connections.count > 1 { due.append(now + configuration.spareIdle) }
        return due.min().map { max(0, $0 - now) }
    }

    func publishStatus() {
        status.connections = connections.filter(\.isUsable).count
        status.queued = queue.count
        status.inFlight = connections.reduce(0) { $0 + $1.budget.inFlight }
        status.streamLimit = connections.map { $0.budget.remoteLimit }.max() ?? 0
        shared.status.withLock { $0 = status }
    }
}

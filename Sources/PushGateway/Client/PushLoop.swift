internal import DequeModule
internal import EventModel
internal import HTTPClient
internal import Logging
internal import Synchronization

/// State that the push thread shares with other threads.
final class PushShared<Service: PushService>: Sendable {
    let service: Service
    let settings: PushSettings
    let context: TLSContext
    let logger: Logger
    let clock: PushClock
    let wakeUp: WakeUp
    let inbox: PushInbox<Service>
    let status = Mutex(PushStatus())

    init(service: Service, settings: PushSettings, logger: Logger, clock: PushClock) throws(ConnectionError) {
        self.service = service
        self.settings = settings
        self.logger = logger
        self.clock = clock
        context = try TLSContext(caFile: settings.caFile)
        wakeUp = try WakeUp()
        inbox = PushInbox(byteLimit: settings.queueByteLimit, wakeUp: wakeUp)
    }
}

/// The push thread: it takes submissions, manages connections, assigns pushes to streams and ends every push once.
final class PushLoop<Service: PushService> {
    typealias Job = PushJob<Service>
    typealias Pool = PushPool<Service>
    typealias Connection = PushConnection<Service>

    struct Ended {
        let submission: PushSubmission<Service>
        let outcome: PushOutcome
    }

    let shared: PushShared<Service>
    let settings: PushSettings
    var pools: [PushOrigin: Pool] = [:]
    var random = SystemRandomNumberGenerator()
    var status = PushStatus()
    var stopDeadline: Double?
    /// Both clocks are read when a round starts and again after its wait.
    private(set) var now: Double
    private(set) var wall: Timestamp
    /// Ended pushes whose completions have not been called.
    var ended: Deque<Ended> = []
    /// The queue bytes of `ended`.
    var endedBytes = 0
    private var nextSequence: UInt64 = 0

    init(_ shared: PushShared<Service>) {
        self.shared = shared
        settings = shared.settings
        (now, wall) = (shared.clock.monotonic(), shared.clock.wall())
    }

    /// Returns after `PushInbox.stop`, when every push has ended.
    func run() {
        while !isFinished {
            takeInbox()
            expireQueued()
            openDue()
            for pool in pools.values { dispatch(pool) }
            applyEvents()
            forgetOldPools()
            waitAndReceive()
            deliverOutcomes()
        }
        publishStatus()
    }

    private func expireQueued() {
        for pool in pools.values {
            for job in pool.queue.expire(now: now) {
                finish(job, job.attempts.ended(.expired(lastFailure: pool.lastFailure)))
            }
        }
    }

    private func readClocks() {
        (now, wall) = (shared.clock.monotonic(), shared.clock.wall())
    }

    private var isFinished: Bool {
        stopDeadline != nil
            && pools.values.allSatisfy { $0.connections.isEmpty && $0.queue.isEmpty && $0.asking.isEmpty }
    }

    private func takeInbox() {
        let delivery = shared.inbox.take()
        readClocks()
        for resolution in delivery.resolutions { resolved(resolution) }
        for verdict in delivery.verdicts { decided(verdict) }
        for submission in delivery.submissions {
            nextSequence += 1
            let job = PushJob(
                submission,
                sequence: nextSequence,
                queuedAt: now,
                deadline: now + submission.traits.deadline.seconds(since: wall)
            )
            let pool = pool(for: submission.traits.origin)
            pool.usedAt = now
            pool.queue.insert(job)
        }
        if delivery.isStopping { stop() }
    }

    private func pool(for origin: PushOrigin) -> Pool {
        if let pool = pools[origin] { return pool }
        let pool = PushPool<Service>(origin: origin, settings: settings, now: now)
        pools[origin] = pool
        return pool
    }

    /// Ends queued pushes at once and lets pushes in progress finish within their time.
    private func stop() {
        for pool in pools.values {
            for job in pool.queue.removeAll() { finish(job, job.attempts.ended(.stopped)) }
            for job in pool.asking.values { finish(job, job.attempts.ended(.stopped)) }
            pool.asking = [:]
        }
        let connections = pools.values.flatMap { $0.connections }
        if stopDeadline == nil {
            stopDeadline = now + settings.stopTimeout
            for connection in connections { connection.retire(now: now) }
        }
        if let stopDeadline, now >= stopDeadline {
            for connection in connections { connection.close(ConnectionError(.timedOut, "stopped")) }
        }
        applyEvents()
    }

    private func waitAndReceive() {
        publishStatus()
        let members = pools.values.flatMap { $0.connections.filter { $0.link.interest != nil } }
        let timeout = isBusy || !shared.inbox.prepareToWait() ? 0 : timeout()
        let readiness = Poller.wait(shared.wakeUp, members.compactMap { $0.link.interest }, timeout: timeout)
        readClocks()
        for (connection, readiness) in zip(members, readiness) {
            if readiness.isReadable || readiness.isWritable { connection.receive(readiness, now: now) }
            connection.tick(now: now)
        }
        for pool in pools.values { pool.closeIdle(now: now) }
        applyEvents()
    }

    /// Whether there is work that no wait would signal: pushes have just ended, freed space, or returned to the queue.
    private var isBusy: Bool {
        isFinished || !ended.isEmpty || pools.values.contains { $0.canDispatch }
    }

    /// Seconds until something is due; `nil` if nothing is.
    private func timeout() -> Double? {
        let mayOpen = stopDeadline == nil && mayOpenAnother
        var due = stopDeadline
        for pool in pools.values {
            let opening = mayOpen ? pool.nextOpening : nil
            let ticks = pool.connections.compactMap { $0.nextTick }.min()
            for time in [pool.queue.nextDeadline, opening, ticks, pool.nextIdleEnd(now: now)] {
                if let time { due = min(due ?? time, time) }
            }
        }
        return due.map { max(0, $0 - now) }
    }

    func publishStatus() {
        status.origins = pools.count
        (status.connections, status.queued, status.inFlight, status.streamLimit) = (0, 0, 0, 0)
        for pool in pools.values {
            status.queued += pool.queue.count + pool.asking.count
            for connection in pool.connections {
                status.connections += connection.isUsable ? 1 : 0
                status.inFlight += connection.budget.inFlight
                status.streamLimit = max(status.streamLimit, connection.budget.remoteLimit)
            }
        }
        shared.status.withLock { $0 = status }
    }
}

internal import HTTPClient
internal import Logging
internal import Workers

extension PushLoop {
    private var openings: Int { pools.values.reduce(0) { $0 + $1.connections.count + ($1.isResolving ? 1 : 0) } }

    /// Whether a connection can be opened. At the limit, an unused connection is closed to make room.
    var mayOpenAnother: Bool { openings < settings.maxTotalConnections || idlest != nil }

    /// The connection that has had no pushes for the longest time. Closing it makes room for another origin.
    private var idlest: Connection? {
        return pools.values.filter { $0.queue.isEmpty }.flatMap { $0.connections }
            .filter { $0.isUsable && $0.budget.inFlight == 0 }
            .max { $0.health.secondsWithoutPush(now: now) < $1.health.secondsWithoutPush(now: now) }
    }

    /// If the number of connections is limited, the pool with the longest-waiting push is served first.
    func openDue() {
        guard stopDeadline == nil else { return }
        let due = pools.values.filter { ($0.nextOpening ?? .infinity) <= now }
            .sorted { $0.queue.oldestQueuedAt ?? now < $1.queue.oldestQueuedAt ?? now }
        guard !due.isEmpty else { return }
        var openings = openings
        for pool in due {
            guard openings < settings.maxTotalConnections else {
                idlest?.retire(now: now)
                return
            }
            open(pool)
            openings += 1
        }
    }

    private func open(_ pool: Pool) {
        let (inbox, settings, origin) = (shared.inbox, settings, pool.origin)
        do throws(WorkerThreadError) {
            _ = try WorkerThread(name: "push-resolver") {
                let addresses = settings.resolve(origin.host, origin.port)
                inbox.resolved(PushInbox.Resolution(origin: origin, addresses: addresses))
            }
            pool.isResolving = true
        } catch {
            failed(ConnectionError(.outOfMemory, error.description), pool)
        }
    }

    func resolved(_ resolution: PushInbox<Service>.Resolution) {
        guard let pool = pools[resolution.origin] else { return }
        pool.isResolving = false
        guard stopDeadline == nil else { return }
        let addresses = resolution.addresses
        guard !addresses.isEmpty else {
            return failed(ConnectionError(.notResolved, "\(pool.origin.host) cannot be resolved"), pool)
        }
        let start = pool.addressRotation % addresses.count
        pool.addressRotation &+= 1
        pool.connections.append(
            PushConnection(
                service: shared.service,
                origin: pool.origin,
                settings: settings,
                context: shared.context,
                addresses: Array(addresses[start...] + addresses[..<start]),
                now: now
            )
        )
        status.connectionsOpened += 1
    }

    /// Opens streams for waiting pushes, or asks for their permission first.
    func dispatch(_ pool: Pool) {
        while pool.canDispatch, let job = pool.queue.next() {
            guard let permission = job.submission.permission else {
                open(job, in: pool)
                continue
            }
            pool.asking[job.sequence] = job
            let (inbox, origin, sequence) = (shared.inbox, pool.origin, job.sequence)
            permission { permit in inbox.decided(.init(origin: origin, sequence: sequence, permit: permit)) }
        }
        for connection in pool.connections { connection.pump(now: now) }
    }

    /// A permit is used at once or lost: a push without a stream asks again.
    func decided(_ verdict: PushInbox<Service>.Verdict) {
        guard let pool = pools[verdict.origin], let job = pool.asking.removeValue(forKey: verdict.sequence) else {
            return
        }
        switch verdict.permit {
        case .granted: open(job, in: pool)
        case .denied: finish(job, job.attempts.ended(.denied))
        case .unknown: finish(job, job.attempts.ended(.undecided))
        }
    }

    /// Assigns a push to the connection with the fewest pushes in progress.
    private func open(_ job: Job, in pool: Pool) {
        guard let connection = pool.roomiest else { return pool.queue.insert(job) }
        do {
            let credential = try shared.service.credential(for: pool.origin, held: connection.credential)
            if !connection.submit(job, credential: credential, now: now) { pool.queue.insert(job) }
        } catch {
            shared.logger.error("no token for pushes", metadata: ["error": "\(error)"])
            finish(job, job.attempts.ended(.noProviderToken))
        }
    }

    func failed(_ error: ConnectionError, _ pool: Pool) {
        pool.connectionFailed(now: now, using: &random)
        status.connectionsFailed += 1
        if pool.lastFailure != error.description {
            shared.logger.warning(
                "no connection for pushes",
                metadata: ["origin": "\(pool.origin)", "error": "\(error)"]
            )
        }
        pool.lastFailure = error.description
        status.lastFailure = error.description
        if error.code == .untrusted {
            // If another connection were opened now, it would get the same certificate.
            for job in pool.queue.removeAll() { finish(job, job.attempts.ended(.untrusted(error.description))) }
        }
        guard settings.endsAtUnusable, error.code == .forbiddenAddress || error.code == .noHTTP2 else { return }
        for job in pool.queue.removeAll() {
            finish(job, job.attempts.ended(.unusableService(error.description)))
        }
    }

    /// An idle pool is kept for its backoff and its address rotation, but not indefinitely, because browsers choose
    /// the origins.
    func forgetOldPools() {
        let empty = pools.values.filter { $0.isEmpty }
        for pool in empty where now - pool.usedAt >= 600 { pools[pool.origin] = nil }
        let excess = empty.count - 256
        guard excess > 0 else { return }
        for pool in empty.sorted(by: { $0.usedAt < $1.usedAt }).prefix(excess) { pools[pool.origin] = nil }
    }
}

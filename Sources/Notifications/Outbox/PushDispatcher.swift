package import EventModel
package import HTTPModel
package import Logging
package import Persistence
internal import PushGateway
internal import Synchronization
internal import Workers

/// The database, which may be away.
package protocol NotificationDatabase: Sendable {
    /// The outbox's own connection; fails with 503 while the database is away.
    func pushStore() throws(APIError) -> PostgresStore

    /// Runs a query; what goes wrong becomes what a client is told.
    func use<Result>(
        _ query: (PostgresStore) async throws(PersistenceError) -> Result
    ) async throws(APIError) -> Result
}

/// What all that sends pushes is given.
package struct PushEnvironment: Sendable {
    let transports: any PushTransports
    let database: any NotificationDatabase
    let counts: PushCounts
    /// Names this process in claims.
    let server: String
    /// Begins the names of this process and of those whose place it has taken.
    let lineage: String
    let clock: @Sendable () -> Timestamp
    let logger: Logger

    package init(
        transports: any PushTransports,
        database: any NotificationDatabase,
        counts: PushCounts,
        server: String,
        lineage: String,
        clock: @escaping @Sendable () -> Timestamp,
        logger: Logger
    ) {
        self.transports = transports
        self.database = database
        self.counts = counts
        self.server = server
        self.lineage = lineage
        self.clock = clock
        self.logger = logger
    }

    var composer: PushComposer { PushComposer(topic: transports.topic, webPushRules: transports.webPushRules) }
    /// Fails while the database is away.
    var store: PostgresStore { get throws(APIError) { try database.pushStore() } }
}

/// Empties the outbox, which the projection `push` fills: a loop that sleeps until something is to be done; where the
/// database is away it waits for it.
package final class PushDispatcher: Sendable {
    /// The longest sleep: another server may have left something.
    static let longestSleepSeconds = 15.0
    static let leaseSeconds = 45.0
    /// Deliveries claimed at once.
    static let claimLimit = 64
    /// Pushes that are looked back at: rules bound their number in an hour, and what ended is replaced while it is of
    /// use, which is four hours at most.
    static let memorySeconds = 4 * 3600.0 + 900

    /// Decisions are kept for 30 days, what is remembered of a silent session for 7, a token that was not registered
    /// again for 60.
    static let keptSeconds = 30 * 86_400.0
    static let watchedSeconds = 7 * 86_400.0
    static let staleSeconds = 60 * 86_400.0

    let environment: PushEnvironment
    let inFlight = InFlightPushes()
    let activities: LiveActivityDispatcher
    /// `nil`: switched off.
    let probe: DeliveryProbe?
    private let viewers: ViewerRegistry
    private let signal = AsyncSignal()
    private let sampled = Mutex<OutboxBacklog?>(nil)

    /// - Parameter probe: `nil`: nothing is sent to see whether pushes leave.
    package init(_ environment: PushEnvironment, viewers: ViewerRegistry, probe settings: DeliveryProbe.Settings?) {
        self.environment = environment
        self.viewers = viewers
        let signal = self.signal
        probe = settings.map { DeliveryProbe($0, environment) { signal.notify() } }
        activities = LiveActivityDispatcher(environment, inFlight) { signal.notify() }
    }

    private var clock: @Sendable () -> Timestamp { environment.clock }
    private var counts: PushCounts { environment.counts }
    private var logger: Logger { environment.logger }
    private var server: String { environment.server }

    /// As last read, some seconds old at most.
    var backlog: OutboxBacklog? { sampled.withLock { $0 } }

    /// What fills the outbox. `make` is called on the projector's thread.
    package var projection: (name: String, make: @Sendable () -> any Projection) {
        (
            NotificationProjection.name,
            { [clock, counts, signal, activities] in
                NotificationProjection(clock: clock) { outcome in
                    counts.add(outcome.ended)
                    if outcome.deliveries > 0 || outcome.withdrawn > 0 || outcome.confirmed > 0 { signal.notify() }
                    if outcome.activities > 0 { activities.somethingCame() }
                }
            }
        )
    }

    /// Something was put into the outbox. Any thread.
    package func outboxFilled() { signal.notify() }

    /// Returns when the task is cancelled.
    package func run() async {
        await withTaskGroup(of: Void.self) { group in
            group.addTask { await self.dispatch() }
            group.addTask { await self.trim() }
            group.addTask { await self.activities.run() }
            group.addTask { await self.probe?.run() }
        }
    }

    /// Ends what is under way and writes what came of it. To be called after `run` has returned, before the database
    /// is stopped.
    package func stop() async {
        await runBlocking { [environment] in environment.transports.stop() }
        do {
            try await writeEnded()
        } catch {
            logger.warning("ends of pushes not written", metadata: ["error": "\(error)"])
        }
    }

    /// Every hour, by any server of a database: forgetting twice is as good as once.
    private func trim() async {
        while !Task.isCancelled {
            let now = clock()
            do {
                let trimmed = try await environment.store.trimPushes(
                    decided: now.adding(seconds: -PushDispatcher.keptSeconds),
                    silent: now.adding(seconds: -PushDispatcher.watchedSeconds),
                    stale: now.adding(seconds: -PushDispatcher.staleSeconds),
                    now: now
                )
                counts.add(trimmed.withdrawn)
                if trimmed.notices > 0 {
                    logger.info("old pushes removed", metadata: ["count": "\(trimmed.notices)"])
                }
                try? await Task.sleep(for: .seconds(3600))
            } catch {
                // The other loops log failures of the database.
                try? await Task.sleep(for: .seconds(30))
            }
        }
    }

    private func dispatch() async {
        var retries = RetryLogger()
        var hasInherited = false
        var openings = inFlight.openings
        while !Task.isCancelled {
            do {
                if !hasInherited { try await inherit() }
                hasInherited = true
                try await writeEnded()
                try await wake(&openings)
                let hasMore = try await dispatchOnce()
                retries.succeeded()
                if !hasMore { await signal.wait(atMost: try await sleepSeconds()) }
            } catch {
                await retries.sleep(after: error, "pushes not dispatched", logger)
            }
        }
    }

    /// What waits for a channel that may be used again is due at once, the oldest first.
    /// - Parameter known: the openings that were followed already.
    private func wake(_ known: inout Int) async throws {
        let openings = inFlight.openings
        guard openings != known else { return }
        let count = try await environment.store.wakePushes(now: clock())
        known = openings
        if count > 0 { logger.info("pushes of a suspended channel go on", metadata: ["count": "\(count)"]) }
    }

    /// What a process that died at it left claimed is taken up at once. Others' claims end with their lease.
    private func inherit() async throws {
        let count = try await environment.store.releasePushes(of: environment.lineage, except: server)
        if count > 0 { logger.info("pushes of a server that died taken up", metadata: ["count": "\(count)"]) }
    }

    private func sleepSeconds() async throws -> Double {
        let now = clock()
        let backlog = try await environment.store.pushBacklog(now: now)
        sampled.withLock { $0 = backlog }
        // With no room for more the next end wakes.
        guard inFlight.room > 0, let due = try await environment.store.nextPushDue(now: now) else {
            return PushDispatcher.longestSleepSeconds
        }
        return min(max(due.seconds(since: now), 0.05), PushDispatcher.longestSleepSeconds)
    }

    private func writeEnded() async throws {
        let ended = inFlight.ended
        try await settle(ended)
        inFlight.written(ended)
    }

    private func settle(_ settlements: [Settlement]) async throws {
        guard !settlements.isEmpty else { return }
        counts.add(try await environment.store.settlePushes(settlements, by: server, now: clock()))
    }

    /// Whether more may be due.
    private func dispatchOnce() async throws -> Bool {
        let limit = min(PushDispatcher.claimLimit, inFlight.room)
        guard limit > 0 else { return false }
        let claim = try await environment.store.claimPushes(
            by: server,
            limit: limit,
            leaseSeconds: PushDispatcher.leaseSeconds,
            sentWithinSeconds: PushDispatcher.memorySeconds,
            now: clock()
        )
        guard !claim.pushes.isEmpty else { return false }
        let (settled, requests) = decide(claim)
        try await settle(settled)
        try await submit(requests)
        return claim.pushes.count >= limit
    }

    private func decide(_ claim: OutboxClaim) -> (settled: [Settlement], [PushRequest]) {
        let now = clock()
        let memory = inFlight.memory
        var scheduler = DeliveryScheduler(
            claim: claim,
            underWay: memory.sent,
            pendingBudgets: memory.budgets,
            presence: viewers.report(now: now),
            composer: environment.composer,
            now: now
        )
        var settled: [Settlement] = []
        var requests: [PushRequest] = []
        for push in claim.pushes {
            switch inFlight.withBreakers({ scheduler.decide(push, &$0) }) {
            case .settle(let settlement): settled.append(settlement)
            case .submit(let request): requests.append(request)
            }
        }
        return (settled, requests)
    }

    private func submit(_ requests: [PushRequest]) async throws {
        guard !requests.isEmpty else { return }
        let begun = try await environment.store.beginPushes(
            requests.map(\.entry.id),
            by: server,
            leaseSeconds: PushDispatcher.leaseSeconds
        )
        // First what was counted as handed over, so that nothing keeps it from being so.
        let leaving = requests.filter { begun.ids.contains($0.entry.id) }
        let now = clock()
        for push in requests where !begun.ids.contains(push.entry.id) {
            inFlight.withBreakers { $0.notTried(push.channel, now: now) }
        }
        inFlight.begin(leaving)
        for push in leaving {
            environment.transports.submit(push.message) { [inFlight, signal, clock] outcome in
                inFlight.end(push, outcome, now: clock())
                signal.notify()
            }
        }
        try await settle(
            begun.void.map { id, reason in
                Settlement(id: id, state: .withdrawn, code: PushCode(rawValue: reason) ?? .withdrawn)
            }
        )
    }
}

internal import EventModel
internal import Logging
internal import Persistence
internal import PushPolicy
internal import Synchronization

/// Empties the outbox, which the projection `push` fills: a loop that sleeps until something is to be done; where the
/// database is away it waits for it.
final class PushService: Sendable {
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

    /// The outbox, as this process claims from it and counts what becomes of it.
    struct Outbox: Sendable {
        var database: Database
        var identity: ServerIdentity
        var counts: PushCounts
    }

    let transports: PushTransports
    let counts: PushCounts
    let office = PushOffice()
    private let database: Database
    private let viewers: ViewerBoard
    private let clock: @Sendable () -> Timestamp
    private let logger: Logger
    private let identity: ServerIdentity
    private let outbox = Doorbell()
    let activities: ActivityService
    /// `nil`: switched off.
    let canary: PushCanary?
    private let sampled = Mutex<PushBacklog?>(nil)

    init(
        transports: PushTransports,
        outbox store: Outbox,
        viewers: ViewerBoard,
        clock: @escaping @Sendable () -> Timestamp,
        logger: Logger
    ) {
        self.transports = transports
        let (database, counts, outbox) = (store.database, store.counts, self.outbox)
        self.database = database
        self.counts = counts
        identity = store.identity
        self.viewers = viewers
        self.clock = clock
        self.logger = logger
        canary = transports.canary.map { settings in
            PushCanary(settings: settings, database: database, clock: clock, logger: logger) { outbox.ring() }
        }
        activities = ActivityService(
            transports: transports,
            office: office,
            counts: counts,
            identity: identity,
            database: database,
            clock: clock,
            logger: logger,
            onAnswer: { outbox.ring() }
        )
    }

    /// As last read, some seconds old at most.
    var backlog: PushBacklog? { sampled.withLock { $0 } }

    /// For the projection `push`.
    var judge: PushPageJudge {
        PushPageJudge(clock: clock, judge: PushJudging.judge) { [counts, outbox, activities] outcome in
            counts.add(outcome.ended)
            if outcome.deliveries > 0 || outcome.withdrawn > 0 || outcome.confirmed > 0 { outbox.ring() }
            if outcome.activities > 0 { activities.somethingCame() }
        }
    }

    /// Something was put into the outbox. Any thread.
    func outboxFilled() { outbox.ring() }

    /// Returns when the task is cancelled.
    func run() async {
        await withTaskGroup(of: Void.self) { group in
            group.addTask { await self.dispatch() }
            group.addTask { await self.trim() }
            group.addTask { await self.activities.run() }
            group.addTask { await self.canary?.run() }
        }
    }

    /// Ends what is under way and writes what came of it. To be called after `run` has returned, before the database
    /// is stopped.
    func stop() async {
        await onOwnThread { [transports] in transports.stop() }
        do {
            try await writeEnded()
        } catch {
            logger.warning("ends of pushes not written", metadata: [LogKey.error: "\(error)"])
        }
    }

    /// Names this process in claims.
    private var name: String { identity.process }

    /// Every hour, by any server of a database: forgetting twice is as good as once.
    private func trim() async {
        while !Task.isCancelled {
            let now = clock()
            do {
                let trimmed = try await database.pushStore().trimPushes(
                    decided: now.adding(seconds: -PushService.keptSeconds),
                    silent: now.adding(seconds: -PushService.watchedSeconds),
                    stale: now.adding(seconds: -PushService.staleSeconds),
                    now: now
                )
                counts.add(trimmed.withdrawn)
                if trimmed.notices > 0 {
                    logger.info("old pushes removed", metadata: [LogKey.count: "\(trimmed.notices)"])
                }
                try? await Task.sleep(for: .seconds(3600))
            } catch {
                // The other loops tell of a database that is away.
                try? await Task.sleep(for: .seconds(30))
            }
        }
    }

    private func dispatch() async {
        var trouble = Trouble()
        var hasInherited = false
        var openings = office.openings
        while !Task.isCancelled {
            do {
                if !hasInherited { try await inherit() }
                hasInherited = true
                try await writeEnded()
                try await wake(&openings)
                let hasMore = try await dispatchOnce()
                trouble.ended()
                if !hasMore { await outbox.wait(atMost: try await sleepSeconds()) }
            } catch {
                await trouble.sleep(after: error, "pushes not dispatched", logger)
            }
        }
    }

    /// What waits for a channel that may be used again is due at once, the oldest first.
    /// - Parameter known: the openings that were followed already.
    private func wake(_ known: inout Int) async throws {
        let openings = office.openings
        guard openings != known else { return }
        let count = try await database.pushStore().wakePushes(now: clock())
        known = openings
        if count > 0 { logger.info("pushes of a suspended channel go on", metadata: [LogKey.count: "\(count)"]) }
    }

    /// What a process that died at it left claimed is taken up at once. Others' claims end with their lease.
    private func inherit() async throws {
        let count = try await database.pushStore().releasePushes(of: identity.lineage, except: name)
        if count > 0 { logger.info("pushes of a server that died taken up", metadata: [LogKey.count: "\(count)"]) }
    }

    private func sleepSeconds() async throws -> Double {
        let now = clock()
        let backlog = try await database.pushStore().pushBacklog(now: now)
        sampled.withLock { $0 = backlog }
        // With no room for more the next end wakes.
        guard office.room > 0, let due = try await database.pushStore().nextPushDue(now: now) else {
            return PushService.longestSleepSeconds
        }
        return min(max(due.seconds(since: now), 0.05), PushService.longestSleepSeconds)
    }

    private func writeEnded() async throws {
        let ended = office.ended
        guard !ended.isEmpty else { return }
        let tally = try await database.pushStore().settlePushes(
            ended.map(\.settlement),
            tokens: ended.compactMap(\.token),
            by: name,
            now: clock()
        )
        counts.add(tally)
        office.written(ended)
    }

    /// Whether more may be due.
    private func dispatchOnce() async throws -> Bool {
        let limit = min(PushService.claimLimit, office.room)
        guard limit > 0 else { return false }
        let store = try database.pushStore()
        let claim = try await store.claimPushes(
            by: name,
            limit: limit,
            leaseSeconds: PushService.leaseSeconds,
            sentWithinSeconds: PushService.memorySeconds,
            now: clock()
        )
        guard !claim.pushes.isEmpty else { return false }
        let (settled, ready) = decide(claim)
        counts.add(try await store.settlePushes(settled, tokens: [], by: name, now: clock()))
        try await submit(ready, store)
        return claim.pushes.count >= limit
    }

    private func decide(_ claim: PushClaim) -> (settled: [PushSettlement], [ReadyPush]) {
        let now = clock()
        let memory = office.memory
        var decider = PushDecider(
            claim: claim,
            underWay: memory.traces,
            pendingBudgets: memory.budgets,
            presence: viewers.report(now: now),
            composer: PushComposer(topic: transports.topic, webPushRules: transports.webPushRules),
            now: now
        )
        var settled: [PushSettlement] = []
        var ready: [ReadyPush] = []
        for push in claim.pushes {
            switch office.withBreakers({ decider.decide(push, &$0) }) {
            case .settle(let settlement): settled.append(settlement)
            case .submit(let push): ready.append(push)
            }
        }
        return (settled, ready)
    }

    private func submit(_ ready: [ReadyPush], _ store: PostgresStore) async throws {
        guard !ready.isEmpty else { return }
        let begun = try await store.beginPushes(ready.map(\.id), by: name, leaseSeconds: PushService.leaseSeconds)
        let void = begun.void.map { id, reason in
            PushSettlement(id: id, state: .withdrawn, code: PushCode(rawValue: reason) ?? .withdrawn)
        }
        // First what was counted as handed over, so that nothing keeps it from being so.
        let leaving = ready.filter { begun.ids.contains($0.id) }
        let now = clock()
        for push in ready where !begun.ids.contains(push.id) {
            office.withBreakers { $0.notTried(push.channel, now: now) }
        }
        office.begin(leaving)
        for push in leaving {
            transports.submit(push.message) { [office, outbox, clock] result in
                office.end(push, result, now: clock())
                outbox.ring()
            }
        }
        counts.add(try await store.settlePushes(void, tokens: [], by: name, now: clock()))
    }
}

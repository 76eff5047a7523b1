package import EventModel
package import HTTPModel
package import Logging
internal import Outbox
package import Persistence
internal import PushGateway
internal import Synchronization
internal import Workers

/// The database, as this module uses it.
package protocol NotificationDatabase: StoreAccess {
    /// The outbox's own connection. Throws 503 while the database is unavailable.
    func pushStore() throws(APIError) -> PostgresStore
}

/// The dependencies of all parts that send pushes.
package struct PushEnvironment: Sendable {
    let transports: any PushTransports
    let database: any NotificationDatabase
    let counts: PushCounts
    /// Identifies this process in claims.
    let server: String
    /// The common prefix of the names of this process and its predecessors.
    let lineage: String
    let clock: @Sendable () -> Timestamp
    let logger: Logger
    /// `nil` if pushes carry no answers.
    let actions: PromptActionIssuer?
    /// A push service has accepted a prompt's push to a device. Any thread; must not block.
    let onPromptPushed: @Sendable (_ promptID: String, DeviceID) -> Void

    package init(
        transports: any PushTransports,
        database: any NotificationDatabase,
        counts: PushCounts,
        server: String,
        lineage: String,
        clock: @escaping @Sendable () -> Timestamp,
        logger: Logger,
        actions: PromptActionIssuer? = nil,
        onPromptPushed: @escaping @Sendable (_ promptID: String, DeviceID) -> Void = { _, _ in }
    ) {
        (self.actions, self.onPromptPushed) = (actions, onPromptPushed)
        self.transports = transports
        self.database = database
        self.counts = counts
        self.server = server
        self.lineage = lineage
        self.clock = clock
        self.logger = logger
    }

    var composer: PushComposer {
        PushComposer(topic: transports.topic, webPushRules: transports.webPushRules, actions: actions)
    }
    /// Throws while the database is unavailable.
    var store: PostgresStore { get throws(APIError) { try database.pushStore() } }
}

/// Sends the deliveries of the outbox, which the projection `push` fills.
package final class PushDispatcher: Sendable {
    static let leaseSeconds = 45.0
    /// Maximum number of deliveries in one claim.
    static let claimLimit = 64
    /// Seconds for which sent pushes are examined: rules limit their number per hour, and a notice is replaced while
    /// it is useful, which is at most four hours.
    static let memorySeconds = 4 * 3600.0 + 900

    /// Decisions are kept for 30 days, the state of silent sessions for 7 days, and tokens that are not registered
    /// again for 60 days.
    static let keptSeconds = 30 * 86_400.0
    static let watchedSeconds = 7 * 86_400.0
    static let staleSeconds = 60 * 86_400.0

    let environment: PushEnvironment
    let inFlight = InFlightPushes()
    private let admission: DeliveryAdmission
    let activities: LiveActivityDispatcher
    /// `nil` if probes are disabled.
    let probe: DeliveryProbe?
    private let viewers: ViewerRegistry
    private let signal = AsyncSignal()
    private let sampled = Mutex<OutboxBacklog?>(nil)

    /// - Parameter probe: `nil` disables delivery probes.
    package init(_ environment: PushEnvironment, viewers: ViewerRegistry, probe settings: DeliveryProbe.Settings?) {
        self.environment = environment
        self.viewers = viewers
        let signal = self.signal
        probe = settings.map { DeliveryProbe($0, environment) { signal.notify() } }
        admission = DeliveryAdmission(environment, inFlight)
        activities = LiveActivityDispatcher(environment, inFlight) { signal.notify() }
    }

    private var clock: @Sendable () -> Timestamp { environment.clock }
    private var counts: PushCounts { environment.counts }
    private var logger: Logger { environment.logger }
    private var server: String { environment.server }

    /// The last sample, at most some seconds old.
    var backlog: OutboxBacklog? { sampled.withLock { $0 } }

    /// The projection that fills the outbox.
    package var projection: ProjectionSource {
        ProjectionSource(
            NotificationProjection.name,
            .reading { [clock, counts, signal, activities] in
                NotificationProjection(clock: clock) { outcome in
                    counts.add(outcome.ended)
                    if outcome.deliveries > 0 || outcome.withdrawn > 0 || outcome.confirmed > 0 { signal.notify() }
                    if outcome.activities > 0 { activities.somethingCame() }
                }
            }
        )
    }

    /// The outbox has new deliveries. Any thread.
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

    /// Finishes pushes in progress and writes their outcomes. Call after `run` has returned and before the database
    /// is stopped.
    package func stop() async {
        await runBlocking { [environment] in environment.transports.stop() }
        do {
            try await writeEnded()
        } catch {
            logger.warning("ends of pushes not written", metadata: ["error": "\(error)"])
        }
    }

    private func trim() async {
        await OutboxLoop.trim {
            let now = clock()
            let trimmed = try await environment.store.trimPushes(
                decided: now.adding(seconds: -PushDispatcher.keptSeconds),
                silent: now.adding(seconds: -PushDispatcher.watchedSeconds),
                stale: now.adding(seconds: -PushDispatcher.staleSeconds),
                now: now
            )
            counts.add(trimmed.withdrawn)
            if trimmed.notices > 0 { logger.info("old pushes removed", metadata: ["count": "\(trimmed.notices)"]) }
        }
    }

    private func dispatch() async {
        var hasInherited = false
        var openings = inFlight.openings
        let loop = OutboxLoop(signal, trouble: "pushes not dispatched", logger: logger, clock: clock)
        await loop.run {
            if !hasInherited { try await inherit() }
            hasInherited = true
            try await writeEnded()
            try await wake(&openings)
            return try await dispatchOnce()
        } nextDue: {
            try await nextDue()
        }
    }

    /// Makes the waiting deliveries of a channel due at once after its suspension ended early, oldest first.
    /// - Parameter known: the openings that were already handled.
    private func wake(_ known: inout Int) async throws {
        let openings = inFlight.openings
        guard openings != known else { return }
        let count = try await environment.store.wakePushes(now: clock())
        known = openings
        if count > 0 { logger.info("pushes of a suspended channel go on", metadata: ["count": "\(count)"]) }
    }

    /// Takes over the claims of a dead predecessor at once. Claims of other servers end with their lease.
    private func inherit() async throws {
        let count = try await environment.store.releasePushes(of: environment.lineage, except: server)
        if count > 0 { logger.info("pushes of a server that died taken up", metadata: ["count": "\(count)"]) }
    }

    private func nextDue() async throws -> Timestamp? {
        let now = clock()
        let backlog = try await environment.store.pushBacklog(now: now)
        sampled.withLock { $0 = backlog }
        // Without room for more, the next finished push wakes the loop.
        return inFlight.room > 0 ? try await environment.store.nextPushDue(now: now) : nil
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

    /// Returns whether more deliveries may be due.
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
        submit(requests)
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

    /// Each push asks again before it is sent, because it may wait for a connection.
    private func submit(_ requests: [PushRequest]) {
        inFlight.begin(requests)
        for push in requests {
            let permission: PushPermission = { [admission] reply in admission.ask(push.entry.id, reply: reply) }
            environment.transports.submit(push.message, permission: permission) {
                [environment, inFlight, signal] outcome in
                inFlight.end(push, outcome, now: environment.clock())
                if case .accepted = outcome, let prompt = push.entry.promptID {
                    environment.onPromptPushed(prompt, push.entry.device)
                }
                signal.notify()
            }
        }
    }
}

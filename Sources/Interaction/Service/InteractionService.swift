internal import Audit
internal import EventModel
internal import HTTPModel
internal import JSON
internal import Logging
internal import Persistence
package import Sessions
internal import Synchronization
internal import Workers

/// The reply to a waiting hook.
package enum HoldAnswer: Sendable, Equatable {
    /// The hook prints this.
    case output([UInt8])
    /// The hook prints nothing, so the terminal asks.
    case askLocally
    /// The hook must ask again.
    case again
}

/// Holds hooks that wait for an answer, takes answers from devices, and matches them. May be used on any thread.
package final class InteractionService: ProjectionObserver {
    package typealias Reply = @Sendable (HoldAnswer) -> Void

    /// The number of seconds since its last request after which a hold in the database counts as lost.
    static let aliveSeconds = HoldRequest.pollSeconds + HoldTable<Reply>.graceSeconds
    /// The number of seconds within which the end of a hold is logged, unless its server is stopped.
    static let endingSeconds = 5.0
    /// Prompts opened longer ago are not announced: they are from before an upgrade.
    private static let announcedSeconds = 86_400.0

    let environment: InteractionEnvironment
    let table = Mutex(HoldTable<Reply>())
    let latencies = StepLatencies()
    let counts = Mutex(InteractionCounts())
    let waiters = MessageWaiters()
    /// The sessions with unread messages; `nil` until they are known. Sessions with messages of other servers may be
    /// missing for some seconds.
    let outstanding = Mutex<Set<String>?>(nil)
    let openPromptReads = Mutex(OpenPrompts.Reads())
    /// Steps that the log does not contain yet.
    let reaches = Mutex<[PromptReach]>([])
    let signal = AsyncSignal()
    private let due = Mutex(DueWork())

    /// The work that `run` must do before its next regular round.
    private struct DueWork {
        /// A prompt has a phase that the log does not report yet.
        var announcement = false
        /// A prompt that another server may hold is closed.
        var notice = false
        /// Another server has closed prompts.
        var release = false
        /// Another server has queued messages.
        var messages = false
        /// Sessions were erased.
        var erasure = false
        /// When to look for turns that an answer has ended, on the steady clock.
        var interruptionAt: Timestamp?

        /// Returns the work that is due now, and keeps the rest.
        mutating func take(now: Timestamp) -> DueWork {
            var work = self
            self = DueWork()
            if let time = work.interruptionAt, time > now { (work.interruptionAt, interruptionAt) = (nil, time) }
            return work
        }
    }

    /// The kinds of changes that servers announce to each other.
    enum Change: String { case prompts, messages }

    private static let announcedAtOnce = 200
    /// Servers also look for changes themselves, in case a notification from another server was lost.
    private static let sweepSeconds = 5.0

    package init(_ environment: InteractionEnvironment) {
        self.environment = environment
    }

    /// Handles changed rows of these prompts. Called on a projector's thread of the leading server; does not block.
    package func promptsChanged(_ prompts: [Prompt]) {
        let isAnnouncement = prompts.contains { $0.phase > $0.announced }
        // Holds of this server are released below.
        let isNotice = prompts.contains { $0.phase == .closed && $0.announced < .closed && isHeldElsewhere($0) }
        if isAnnouncement || isNotice {
            due.withLock { due in
                due.announcement = due.announcement || isAnnouncement
                due.notice = due.notice || isNotice
            }
            signal.notify()
        }
        for prompt in prompts {
            latencies.note(prompt)
            if prompt.state != .open { closed(prompt) }
        }
        // The announced phase: each server of the database sees it once, and the rest of the chain knows the key.
        let settled = prompts.filter { $0.phase == .settled && $0.announced < .settled }
            .compactMap { prompt in
                prompt.steps.last { $0.name == "applied" || $0.name == "late" }.map { TrailEntry.settled(prompt, $0) }
            }
        if !settled.isEmpty { Task { [self] in await keepTrail(settled) } }
    }

    private func isHeldElsewhere(_ prompt: Prompt) -> Bool {
        prompt.wasHeld
            && table.withLock { $0.hold(of: prompt.id) == nil }
    }

    /// Handles a change that another server, or this one, has reported. Any thread; does not block.
    package func changedElsewhere(_ what: String) {
        guard let change = Change(rawValue: what) else { return }
        due.withLock { due in
            switch change {
            case .prompts: due.release = true
            case .messages: due.messages = true
            }
        }
        signal.notify()
    }

    /// Handles the erasure of sessions. Any thread; does not block.
    package func erased() {
        due.withLock { $0.erasure = true }
        signal.notify()
    }

    /// Ends the holds whose prompts or events were deleted from the database, and removes their content from memory.
    package func forgetErased() async {
        let (held, unbound) = table.withLock { ($0.boundPrompts, $0.unboundRequests) }
        guard !held.isEmpty || !unbound.isEmpty else { return }
        let found = try? await environment.database.use { store throws(PersistenceError) in
            (try await store.prompts(ids: held), try await store.erasedRequests(among: Array(unbound.values)))
        }
        guard let (known, erasedRequests) = found else { return erased() }
        for id in Set(held).subtracting(known.map(\.prompt.id)) { release(id) }
        for (key, requestID) in unbound where erasedRequests.contains(requestID) { reply(key, .askLocally) }
    }

    /// Records that a hook has received an answer that ends the turn.
    func interruptionTaken() {
        let time = environment.steadyClock().adding(seconds: InteractionService.interruptionSeconds)
        due.withLock { $0.interruptionAt = time }
        signal.notify()
    }

    /// Notifies the other servers of a change. A failure only causes a delay: they also look for changes every few
    /// seconds.
    func tellOthers(of change: Change) async {
        try? await environment.database.use { store throws(PersistenceError) in
            try await store.tellOthers(of: change.rawValue)
        }
    }

    /// Adds entries to the audit chain. A failure is logged.
    func keepTrail(_ entries: [TrailEntry]) async {
        do throws(APIError) {
            try await environment.database.use { store throws(PersistenceError) in try await store.record(entries) }
        } catch {
            environment.logger.error("audit entries not written", metadata: ["error": "\(error.code)"])
        }
    }

    /// Ends the wait of the hooks of a prompt that is closed or answered. Sends them the device's answer, if there
    /// is one.
    private func closed(_ prompt: Prompt) {
        guard prompt.answer == nil else {
            let isHeld = table.withLock { $0.hold(of: prompt.id) != nil }
            if isHeld { Task { [self] in await redeliver(prompt) } }
            return
        }
        release(prompt.id)
    }

    func release(_ promptID: String) {
        let removed = table.withLock { $0.removeAll(of: promptID) }
        for (_, reply) in removed { reply?(.askLocally) }
        guard !removed.isEmpty else { return }
        Task { [environment] in
            try? await environment.database.use { store throws(PersistenceError) in
                try await store.dropHolds(of: [promptID])
            }
        }
    }

    /// Ends holds whose time is over. Call about once a second.
    package func tick() {
        let now = environment.steadyClock()
        let over = table.withLock { $0.expire(now: now) }
        for (_, reply) in over { reply?(.askLocally) }
        guard !over.isEmpty else { return }
        Task { [self] in await endLostHolds(expired: over.map(\.0)) }
    }

    /// Returns when the task is cancelled.
    package func run() async {
        var sweepAt = environment.steadyClock()
        var trimAt = sweepAt
        while !Task.isCancelled {
            let wakeAt = due.withLock { min(sweepAt, $0.interruptionAt ?? sweepAt) }
            await signal.wait(atMost: max(0.1, wakeAt.seconds(since: environment.steadyClock())))
            let now = environment.steadyClock()
            let isSweep = now >= sweepAt
            if isSweep { sweepAt = now.adding(seconds: InteractionService.sweepSeconds) }
            let work = due.withLock { $0.take(now: now) }
            if work.notice { await tellOthers(of: .prompts) }
            if work.release || isSweep { await releaseClosed() }
            if work.erasure { await forgetErased() }
            if work.messages || isSweep { await wakeWaiters() }
            if work.announcement || isSweep { await announce() }
            if work.interruptionAt != nil || isSweep { await endInterruptedTurns() }
            await logReaches()
            if isSweep {
                await logAnswers()
                await attachUnbound()
                await endLostHolds()
            }
            if now >= trimAt {
                await trim()
                trimAt = now.adding(seconds: 60)
            }
        }
    }

    /// Adds events for the phases of prompts that the log does not report yet.
    private func announce() async {
        let now = environment.clock()
        let since = now.adding(seconds: -InteractionService.announcedSeconds)
        let records = try? await environment.database.use { store throws(PersistenceError) in
            try await store.unannouncedPrompts(since: since, limit: InteractionService.announcedAtOnce)
        }
        let events = await stored(records ?? []).flatMap { PromptEvents.announcements(of: $0, at: now) }
        if !events.isEmpty { _ = await environment.submit(events) }
        guard records?.count == InteractionService.announcedAtOnce else { return }
        due.withLock { $0.announcement = true }
        signal.notify()
    }

    /// If another server leads the projection, its changes are visible only in the database.
    private func releaseClosed() async {
        let held = table.withLock { $0.awaitedPrompts }
        guard !held.isEmpty else { return }
        let closed = try? await environment.database.use { store throws(PersistenceError) in
            try await store.closedPrompts(among: held)
        }
        for prompt in closed ?? [] { self.closed(prompt) }
    }

    /// Adds the missing events of answers that a stopped server left without one.
    private func logAnswers() async {
        let before = environment.clock().adding(seconds: -5)
        let left = try? await environment.database.use { store throws(PersistenceError) in
            try await store.unloggedAnswers(before: before)
        }
        for (id, answer) in left ?? [] {
            if let record = try? await record(id) { await log(answer, of: record) }
        }
    }

    private func trim() async {
        let now = environment.clock()
        try? await environment.database.use { store throws(PersistenceError) in
            try await store.trimAnswers(
                given: now.adding(seconds: -86_400),
                delivered: now.adding(seconds: -300),
                kept: now.adding(seconds: -7 * 86_400)
            )
            try await store.trimMessages(
                queued: now.adding(seconds: -90 * 86_400),
                ended: now.adding(seconds: -86_400),
                posters: now.adding(seconds: -7 * 86_400)
            )
        }
        let unapplied = try? await environment.database.use { store throws(PersistenceError) in
            try await store.unappliedAnswers(from: now.adding(seconds: -86_400), to: now.adding(seconds: -60))
        }
        guard let unapplied else { return }
        counts.withLock { counts in
            counts.unapplied = unapplied.count
            counts.unappliedSeconds = unapplied.oldest.map { now.seconds(since: $0) } ?? 0
        }
    }
}

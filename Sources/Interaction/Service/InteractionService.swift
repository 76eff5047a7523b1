internal import EventModel
internal import HTTPModel
internal import JSON
internal import Logging
internal import Persistence
package import Sessions
internal import Synchronization
internal import Workers

/// What a waiting hook is told.
package enum HoldAnswer: Sendable, Equatable {
    /// The hook prints this.
    case output([UInt8])
    /// The hook prints nothing: the terminal asks.
    case askLocally
    /// The hook asks again.
    case again
}

/// Holds hooks that wait for an answer, takes answers from devices, and brings them together. Any thread.
package final class InteractionService: Sendable {
    package typealias Reply = @Sendable (HoldAnswer) -> Void

    /// Seconds since its last request after which a hold in the database counts as lost.
    static let aliveSeconds = HoldRequest.pollSeconds + HoldTable<Reply>.graceSeconds
    /// Prompts opened longer ago are not announced: they are from before an upgrade.
    private static let announcedSeconds = 86_400.0

    let environment: InteractionEnvironment
    let table = Mutex(HoldTable<Reply>())
    let latencies = StepLatencies()
    let counts = Mutex(InteractionCounts())
    let waiters = MessageWaiters()
    /// Sessions with messages that are not read. May lack those of other servers for some seconds.
    let outstanding = Mutex(Set<String>())
    private let signal = AsyncSignal()
    /// A prompt has a phase that the log does not tell yet.
    private let isAnnouncementDue = Mutex(true)
    /// Above this number of holds, prompts that another server has closed are looked for less often.
    private static let manyHolds = 500

    package init(_ environment: InteractionEnvironment) {
        self.environment = environment
    }

    /// The rows of these prompts have changed. Called on a projector's thread of the server that leads; it does not
    /// block.
    package func promptsChanged(_ prompts: [Prompt]) {
        if prompts.contains(where: { $0.phase > $0.announced }) {
            isAnnouncementDue.withLock { $0 = true }
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

    /// Adds to the chain of what people did. A failure is logged.
    func keepTrail(_ entries: [TrailEntry]) async {
        do throws(APIError) {
            try await environment.database.use { store throws(PersistenceError) in try await store.record(entries) }
        } catch {
            environment.logger.error("audit entries not written", metadata: ["error": "\(error.code)"])
        }
    }

    /// Nobody needs the answer any more, or a device gave it.
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
        Task { [environment] in
            for (hold, _) in over {
                _ = try? await environment.database.use { store throws(PersistenceError) in
                    try await store.endHold(hold.key)
                }
            }
        }
    }

    /// Returns when the task is cancelled.
    package func run() async {
        var sweepAt = environment.steadyClock()
        var trimAt = sweepAt
        var wakeAt = sweepAt
        while !Task.isCancelled {
            await signal.wait(atMost: 0.5)
            let now = environment.steadyClock()
            let isSweep = now >= sweepAt
            if isSweep { sweepAt = now.adding(seconds: 5) }
            if takeAnnouncementDue() || isSweep { await announce() }
            if isSweep {
                await logAnswers()
                await attachUnbound()
            }
            if isSweep || !waiters.sessions.isEmpty && now >= wakeAt {
                await wakeWaiters()
                wakeAt = now.adding(seconds: 2)
            }
            if isSweep || table.withLock({ $0.count }) <= InteractionService.manyHolds { await releaseClosed() }
            if now >= trimAt {
                await trim()
                trimAt = now.adding(seconds: 60)
            }
        }
    }

    private func takeAnnouncementDue() -> Bool {
        isAnnouncementDue.withLock { isDue in
            defer { isDue = false }
            return isDue
        }
    }

    /// Adds events for the phases of prompts that the log does not tell yet.
    private func announce() async {
        let now = environment.clock()
        let since = now.adding(seconds: -InteractionService.announcedSeconds)
        let records = try? await environment.database.use { store throws(PersistenceError) in
            try await store.unannouncedPrompts(since: since)
        }
        let events = (records ?? []).flatMap { PromptEvents.announcements(of: $0, at: now) }
        if !events.isEmpty { _ = await environment.submit(events) }
    }

    /// Another server may lead the projection. Its changes show in the database only.
    private func releaseClosed() async {
        let held = table.withLock { $0.awaitedPrompts }
        guard !held.isEmpty else { return }
        let closed = try? await environment.database.use { store throws(PersistenceError) in
            try await store.closedPrompts(among: held)
        }
        for prompt in closed ?? [] { self.closed(prompt) }
    }

    /// Adds the events of answers that a stopped server has left without.
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
                ended: now.adding(seconds: -86_400)
            )
        }
        let unapplied = try? await environment.database.use { store throws(PersistenceError) in
            try await store.unappliedAnswers(from: now.adding(seconds: -86_400), to: now.adding(seconds: -60))
        }
        if let unapplied { counts.withLock { $0.unapplied = unapplied } }
    }
}

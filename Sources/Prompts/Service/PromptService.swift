internal import EventModel
internal import HTTPModel
internal import Persistence
package import Sessions
internal import Synchronization

/// Prompts of sessions: the hooks that wait for an answer, the answers of devices, and what the log says of both. May
/// be used on any thread.
package final class PromptService: ProjectionObserver {
    /// The word by which servers tell each other that prompts were closed.
    private static let change = "prompts"
    /// Servers also look for changes themselves, in case a notification from another server was lost.
    private static let sweepSeconds = 5.0
    private static let trimSeconds = 60.0

    package let open: OpenPrompts
    package let answers: AnswerService
    private let reaches = PromptReaches()

    package init(_ environment: PromptEnvironment) {
        let reader = PromptReader(environment: environment, hooks: WaitingHooks())
        open = OpenPrompts(reader)
        answers = AnswerService(holds: HoldService(log: PromptLog(reader: reader)))
    }

    package var holds: HoldService { answers.holds }
    package var reader: PromptReader { holds.reader }
    var hooks: WaitingHooks { reader.hooks }
    private var environment: PromptEnvironment { reader.environment }
    private var log: PromptLog { holds.log }
    private var work: PromptWork { hooks.work }

    /// Handles changed rows of these prompts. Called on a projector's thread of the leading server; does not block.
    package func promptsChanged(_ prompts: [Prompt]) {
        work.need { due in
            due.changed(prompts) { id in hooks.table.withLock { $0.isAwaited(id) } }
        }
        for prompt in prompts {
            hooks.latencies.note(prompt)
            if prompt.state != .open { holds.closed(prompt) }
        }
    }

    /// Handles a change that another server, or this one, has reported. Any thread; does not block.
    package func changedElsewhere(_ what: String) {
        if what == PromptService.change { work.need { $0.release = true } }
    }

    /// Handles the erasure of sessions. Any thread; does not block.
    package func erased() { work.need { $0.erasure = true } }

    /// May be called on any thread; does not block. The log records the news soon after.
    package func reached(_ news: [PromptReach]) {
        guard !news.isEmpty else { return }
        reaches.add(news)
        work.wake()
    }

    /// Returns when the task is cancelled.
    package func run() async {
        var sweepAt = environment.steadyClock()
        var trimAt = sweepAt
        while !Task.isCancelled {
            await work.wait(until: sweepAt, clock: environment.steadyClock)
            let now = environment.steadyClock()
            let isSweep = now >= sweepAt
            if isSweep { sweepAt = now.adding(seconds: PromptService.sweepSeconds) }
            await perform(work.take(now: now), isSweep: isSweep)
            if now >= trimAt {
                await trim()
                trimAt = now.adding(seconds: PromptService.trimSeconds)
            }
        }
    }

    private func perform(_ due: DueWork, isSweep: Bool) async {
        if due.notice { await tellOthers() }
        if due.release || isSweep { await holds.releaseClosed() }
        if due.erasure { await holds.forgetErased() }
        if due.announcement || isSweep, await log.announce() { work.need { $0.announcement = true } }
        if due.interruptionAt != nil || isSweep { await log.endInterruptedTurns() }
        await reaches.write(to: log)
        if isSweep {
            await holds.attachUnbound()
            await holds.endLostHolds()
        }
    }

    /// Notifies the other servers. A failure only causes a delay: they also look for changes every few seconds.
    private func tellOthers() async {
        try? await environment.database.use { store throws(PersistenceError) in
            try await store.tellOthers(of: PromptService.change)
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
        }
        let unapplied = try? await environment.database.use { store throws(PersistenceError) in
            try await store.unappliedAnswers(from: now.adding(seconds: -86_400), to: now.adding(seconds: -60))
        }
        guard let unapplied else { return }
        hooks.counts.withLock { counts in
            counts.unapplied = unapplied.count
            counts.unappliedSeconds = unapplied.oldest.map { now.seconds(since: $0) } ?? 0
        }
    }
}

internal import EventModel
internal import HTTPModel
internal import Persistence
internal import Sessions

/// Refusals that end the turn. Claude Code runs no hook for them, so the server itself logs the end of the turn.
extension PromptLog {
    /// Seconds after which a hook that received a refusal has either printed it or reported that it did not.
    static let interruptionSeconds = 1.0
    /// Seconds for which the body of an answer is kept after its delivery.
    private static let keptSeconds = 300.0

    /// Adds the ends of turns that hooks have interrupted with a device's answer. An event that already exists is not
    /// added again.
    func endInterruptedTurns() async {
        let now = environment.clock()
        let taken = try? await environment.database.use { store throws(PersistenceError) in
            try await store.takenInterruptions(
                given: now.adding(seconds: -86_400),
                from: now.adding(seconds: -PromptLog.keptSeconds),
                to: now.adding(seconds: -PromptLog.interruptionSeconds)
            )
        }
        for id in taken ?? [] {
            guard let record = try? await reader.record(id) else { continue }
            _ = await environment.submit([await end(of: record, now)])
        }
    }

    /// The refusal of a subagent's request ends the subagent's work, not the turn.
    private func end(of record: PromptRecord, _ now: Timestamp) async -> MonitorEvent {
        guard record.prompt.agentID == nil else {
            return PromptEvents.update(record, .interrupted, key: record.prompt.answer?.id ?? "", at: now)
        }
        let time = await sessionTime(of: record.prompt, now)
        return PromptEvents.interruption(of: record, at: time, now: now)
    }

    /// The current time on the clock of the prompt's machine, derived from the prompt's request.
    private func sessionTime(of prompt: Prompt, _ now: Timestamp) async -> Timestamp {
        let asked = try? await environment.database.use { store throws(PersistenceError) in
            try await store.event(id: prompt.requestedBy ?? prompt.openedBy)?.event
        }
        guard let asked = asked ?? nil else { return max(now, prompt.openedAt) }
        return Timestamp(
            microseconds: asked.order.time.microseconds + max(0, now.microseconds - asked.receivedAt.microseconds)
        )
    }
}

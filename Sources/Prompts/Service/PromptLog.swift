internal import Audit
internal import EventModel
internal import HTTPModel
internal import Logging
internal import Persistence
internal import Sessions

/// Adds events of what happens to prompts to the log.
struct PromptLog: Sendable {
    /// Prompts opened longer ago are not announced: they are from before an upgrade.
    private static let announcedSeconds = 2 * 86_400.0
    private static let announcedAtOnce = 200
    /// The number of seconds that the server that takes an answer has to add it to the audit chain.
    private static let takingSeconds = 5.0

    let reader: PromptReader

    var environment: PromptEnvironment { reader.environment }

    /// Adds an event of what happened.
    func add(
        _ step: PromptUpdate.Step,
        of promptID: String,
        key: String,
        deviceID: String? = nil,
        risk: ToolRisk? = nil
    ) async {
        guard let found = try? await reader.record(promptID) else { return }
        _ = await add(step, of: found, key: key, deviceID: deviceID, risk: risk)
    }

    /// Returns false if the log does not have the event yet.
    func add(
        _ step: PromptUpdate.Step,
        of found: PromptRecord,
        key: String,
        deviceID: String? = nil,
        risk: ToolRisk? = nil
    ) async -> Bool {
        let now = environment.clock()
        guard let record = await reader.stored([found]).first else { return false }
        // Clients must learn of the prompt before they learn of its steps.
        let opening = PromptEvents.announcements(of: record, at: now).filter { $0.type == .promptOpened }
        let update = PromptEvents.update(record, step, key: key, at: now, deviceID: deviceID, risk: risk)
        return await environment.submit(opening + [update])
    }

    /// Adds entries to the audit chain, and events to the log, for the phases of prompts that the log does not report
    /// yet.
    ///
    /// - Returns: whether there may be more.
    func announce() async -> Bool {
        let now = environment.clock()
        let since = now.adding(seconds: -PromptLog.announcedSeconds)
        let found = try? await environment.database.use { store throws(PersistenceError) in
            try await store.unannouncedPrompts(since: since, limit: PromptLog.announcedAtOnce)
        }
        guard let found, !found.isEmpty else { return false }
        // The server that takes an answer adds it to the chain. If that server stopped first, another one does so here.
        // The chain comes before the events: after a stop in between, both are done again.
        let before = now.adding(seconds: -PromptLog.takingSeconds)
        let closed = found.map(\.prompt).filter { prompt in
            prompt.phase == .settled || prompt.answer.map { $0.at < before } ?? false
        }
        guard await environment.trail.keep(closed.flatMap(TrailEntry.closing)) else { return false }
        let events = await reader.stored(found).flatMap { PromptEvents.announcements(of: $0, at: now) }
        if !events.isEmpty { _ = await environment.submit(events) }
        return found.count == PromptLog.announcedAtOnce
    }
}

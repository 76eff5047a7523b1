internal import EventModel
internal import Persistence
package import Sessions
internal import Synchronization

/// What waits for a person now, for clients that have just connected.
enum OpenPrompts {
    private static let maximum = 200
    /// Prompts beyond it are told without what they ask. Clients fetch them.
    private static let maximumBytes = 256 << 10
    /// Clients that connect within this number of seconds share one read.
    fileprivate static let sharedSeconds = 1.0

    /// The last read, and when it began, on the steady clock.
    struct Read: Sendable {
        var at: Timestamp
        var records: Task<[PromptRecord], Never>
    }

    fileprivate static func read(_ service: InteractionService) async -> [PromptRecord] {
        var query = PromptQuery(limit: maximum)
        query.state = .open
        let wanted = query
        let page = try? await service.environment.database.use { store throws(PersistenceError) in
            try await store.prompts(wanted)
        }
        let waited = (page?.prompts ?? []).filter { $0.prompt.isWaitedFor }
        var left = maximumBytes
        return await service.completed(waited).map { record in
            var record = record
            left -= record.content?.bytes ?? 0
            if left < 0 { record.content = nil }
            return record
        }
    }
}

extension InteractionService {
    /// Empty while the database is away.
    package func openPrompts() async -> [PromptRecord] {
        let now = environment.steadyClock()
        let read = latestOpenPrompts.withLock { latest in
            if let latest, now.seconds(since: latest.at) < OpenPrompts.sharedSeconds { return latest.records }
            let records = Task { [self] in await OpenPrompts.read(self) }
            latest = OpenPrompts.Read(at: now, records: records)
            return records
        }
        return await read.value
    }
}

extension PromptContent {
    fileprivate var bytes: Int {
        [toolInput, questions, schema, suggestions].reduce(plan?.utf8.count ?? 0) { $0 + ($1?.count ?? 0) }
    }
}

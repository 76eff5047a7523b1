package import EventModel
internal import HTTPModel
internal import JSON
internal import Persistence
package import Sessions
internal import Synchronization

/// What waits for a person now, for clients that have just connected.
package enum OpenPrompts {
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

    package static let event = "prompts_open"

    /// The message to a client, the same on all transports: `params` of the notification `prompts/open`.
    package static func message(of prompts: [PromptRecord], at time: Timestamp) -> [UInt8] {
        var writer = JSONWriter(reserving: 1024 * prompts.count + 256)
        writer.beginObject()
        writer.field("event", event)
        writer.field("timestamp", time.description)
        writer.field("agent_type", "claude")
        writer.beginObject("payload")
        writer.beginArray("prompts")
        for prompt in prompts { PromptRecord.shape.write(prompt, to: &writer) }
        writer.endArray()
        writer.endObject()
        writer.endObject()
        return JSONEscaping.withoutLineSeparators(writer.bytes)
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

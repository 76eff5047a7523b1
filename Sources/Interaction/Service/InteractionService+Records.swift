internal import EventModel
internal import HTTPModel
internal import JSON
internal import Persistence
package import Sessions
internal import Synchronization

extension InteractionService {
    /// Bytes of contents in one answer. Prompts beyond it are listed without theirs.
    private static let maximumListedBytes = 4 << 20

    /// Adds what is asked and whether an answer is possible. Without the database, what it knows is missing.
    package func completed(_ records: [PromptRecord]) async -> [PromptRecord] {
        guard !records.isEmpty else { return [] }
        let now = environment.clock()
        let alive = now.adding(seconds: -InteractionService.aliveSeconds)
        let open = records.filter { $0.prompt.state == .open }.map(\.prompt.id)
        let isAsked = Set(open)
        let stored = try? await environment.database.use { store throws(PersistenceError) in
            (
                holds: open.isEmpty ? [:] : try await store.holds(of: open, now: now, alive: alive),
                payloads: try await store.payloads(at: records.map(\.prompt.openingSeq))
            )
        }
        var left = InteractionService.maximumListedBytes
        return records.map { record in
            var record = record
            let payload = stored?.payloads[record.prompt.openingSeq]
            let hold = isAsked.contains(record.prompt.id) ? table.withLock { $0.hold(of: record.prompt.id) } : nil
            if isAsked.contains(record.prompt.id), let held = stored?.holds[record.prompt.id] {
                (record.heldUntil, record.isAnswerable, record.terms) = (held.until, true, held.policy.terms)
            }
            if let hold, left >= hold.content.bytes {
                left -= hold.content.bytes
                record.content = hold.content.shown
            } else if let payload, left >= payload.count {
                left -= payload.count
                record.content = PromptContent(hook: payload, maximumBytes: .max)
                record.content?.isTruncated = StoredContent.isCut(payload)
            }
            return record
        }
    }

    /// Adds that a hook waits for an answer, if it does so on this server.
    func withHold(_ record: PromptRecord) -> PromptRecord {
        guard record.prompt.state == .open, let hold = table.withLock({ $0.hold(of: record.prompt.id) }) else {
            return record
        }
        var record = record
        let left = hold.until.seconds(since: environment.steadyClock())
        record.heldUntil = environment.clock().adding(seconds: max(0, left))
        (record.isAnswerable, record.terms) = (true, hold.policy.terms)
        return record
    }
}

/// What the content policy left of a hook's object.
enum StoredContent {
    private static let marks = ["… [+", "bytes omitted]", "[omitted]", "\"omitted_members\""].map { Array($0.utf8) }

    /// Parts of it may be missing. Text that looks like a mark counts as one.
    static func isCut(_ payload: [UInt8]) -> Bool { marks.contains { payload.firstRange(of: $0) != nil } }
}

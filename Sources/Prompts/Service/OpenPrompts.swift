package import EventModel
internal import Persistence
package import Sessions
internal import Synchronization

/// The prompts that wait for a person now, for clients that have just connected.
package final class OpenPrompts: Sendable {
    private static let maximum = 200
    /// The maximum bytes of all contents together.
    private static let maximumBytes = 256 << 10
    /// The maximum number of prompts with their requests.
    private static let maximumRequests = 50

    /// Reads run one at a time. All clients that connect during a read share the next one, because a read may miss
    /// prompts that were opened after it began.
    private struct Reads: Sendable {
        typealias Read = Task<[PromptRecord], Never>

        var running: Read?
        /// The read that begins when the running one has ended.
        var next: Read?
    }

    private let reader: PromptReader
    private let reads = Mutex(Reads())

    init(_ reader: PromptReader) {
        self.reader = reader
    }

    /// Empty while the database is away.
    package func all() async -> [PromptRecord] {
        let shared = reads.withLock { reads in
            if let next = reads.next { return next }
            let next = Task { [self, running = reads.running] in
                _ = await running?.value
                self.reads.withLock { reads in (reads.running, reads.next) = (reads.next, nil) }
                defer { self.reads.withLock { $0.running = nil } }
                return await read()
            }
            reads.next = next
            return next
        }
        return await shared.value
    }

    private func read() async -> [PromptRecord] {
        var query = PromptQuery(limit: OpenPrompts.maximum)
        query.state = .open
        let wanted = query
        let page = try? await reader.environment.database.use { store throws(PersistenceError) in
            try await store.prompts(wanted)
        }
        let waited = (page?.prompts ?? []).filter { $0.prompt.isWaitedFor }
        return await reader.completed(waited, maximumBytes: OpenPrompts.maximumBytes)
    }

    /// The open prompts for which the session waits, each with the event that asks, oldest first. At most the newest
    /// 50. Empty while the database is away.
    package func requests(of sessionID: String) async -> [(prompt: Prompt, request: CommittedEvent)] {
        var query = PromptQuery(limit: OpenPrompts.maximumRequests)
        (query.state, query.sessionID) = (.open, sessionID)
        let wanted = query
        let found = try? await reader.environment.database.use { store throws(PersistenceError) in
            let prompts = try await store.prompts(wanted).prompts.map(\.prompt).filter(\.isWaitedFor)
            let asked = { (prompt: Prompt) in prompt.requestedBy ?? prompt.openedBy }
            let requests = try await store.events(ids: prompts.map(asked)).map { ($0.event.id, $0) }
            let byID = Dictionary(requests) { first, _ in first }
            return prompts.compactMap { prompt in byID[asked(prompt)].map { (prompt, $0) } }
        }
        return (found ?? []).reversed()
    }
}

internal import API
package import HTTPModel
package import Persistence
internal import Synchronization

/// Finds tools by words, in an index that it keeps in memory for as long as the registry stays as it is. May be used on
/// any thread.
package final class ToolFinder: Sendable {
    private struct Entry {
        /// The state of the registry, as `PostgresStore.searchWords` returns it.
        var registry: String
        var index: Task<Result<ToolIndex, APIError>, Never>
    }

    private let database: any StoreAccess
    private let entry = Mutex<Entry?>(nil)

    package init(database: any StoreAccess) { self.database = database }

    /// A page of the tools that have at least one of the words or of their synonyms, the best first, and the number of
    /// all these tools. If no tool has a word, words with a similar spelling count instead.
    package func find(_ query: ToolQuery) async throws(APIError) -> (keys: [ToolKey], total: Int) {
        let words = query.singleWords
        guard !words.isEmpty else { return ([], 0) }
        let (registry, stems) = try await database.use { store throws(PersistenceError) in
            try await store.searchWords(words)
        }
        let index = try await index(of: registry)
        let found = index.find(words.map { stems[$0] ?? [] }, query.covers)
        return (found.dropFirst(query.offset).prefix(query.limit).map { index.tools[$0].key }, found.count)
    }

    /// Searches that come while the index is made wait for it together.
    private func index(of registry: String) async throws(APIError) -> ToolIndex {
        let task = entry.withLock { entry in
            if let entry, entry.registry == registry { return entry.index }
            let task = Task { [database] in await ToolFinder.load(database) }
            entry = Entry(registry: registry, index: task)
            return task
        }
        switch await task.value {
        case .success(let index): return index
        case .failure(let error):
            entry.withLock { entry in
                if entry?.index == task { entry = nil }
            }
            throw error
        }
    }

    private static func load(_ database: any StoreAccess) async -> Result<ToolIndex, APIError> {
        do throws(APIError) {
            let (tools, stems) = try await database.use { store throws(PersistenceError) in
                (try await store.indexedTools(), try await store.searchWords(ToolSynonyms.words).stems)
            }
            return .success(ToolIndex(tools, ToolSynonyms(stems: stems)))
        } catch {
            return .failure(error)
        }
    }
}

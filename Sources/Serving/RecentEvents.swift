internal import CdevDialect
internal import EventModel
internal import Persistence
internal import WSFanout

/// Reads the newest events of the log into the memory of a server that has just started. After a restart all clients
/// reconnect at once, and most of them have missed only these events.
enum RecentEvents {
    /// Maximum number of queries, and of their results in memory at once.
    private static let pages = 4
    private static let pageEvents = 1000
    private static let pageBytes = 4 << 20

    /// Returns ascending events without gaps up to the head, and the prompts of their sessions.
    static func read(
        from store: PostgresStore,
        _ bounds: LogBounds
    ) async throws(PersistenceError) -> (events: [EncodedEvent], prompts: PromptTrackers) {
        var newestFirst: [CommittedEvent] = []
        var before = bounds.head + 1
        for _ in 0..<pages where before > bounds.oldest {
            var query = EventQuery(limit: pageEvents)
            query.isDescending = true
            query.before = before
            query.maxBytes = pageBytes
            let page = try await store.events(query)
            guard let last = page.events.last else { break }
            newestFirst += page.events
            before = last.seq
        }
        var prompts = PromptTrackers(names: try await store.promptNames(of: newestFirst.permissionRequests))
        let (events, update) = prompts.encode(newestFirst.reversed(), epoch: bounds.epoch)
        prompts.apply(update)
        return (events, prompts)
    }
}

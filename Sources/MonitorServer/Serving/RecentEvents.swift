internal import CdevDialect
internal import EventModel
internal import Persistence
internal import WSFanout

/// The newest events of the log, for the memory of a server that has just started: after a restart every client comes
/// back at once, and what most of them have missed is here.
enum RecentEvents {
    /// So many queries at most, and so much of their answers in memory at once.
    private static let pages = 4
    private static let pageEvents = 1000
    private static let pageBytes = 4 << 20

    /// Ascending, without a hole, up to the head; and the prompts of their sessions.
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
        var prompts = PromptTrackers()
        let (events, update) = prompts.encode(newestFirst.reversed(), epoch: bounds.epoch)
        prompts.apply(update)
        return (events, prompts)
    }
}

import EventModel

/// A range of the log, as projections read it.
struct LogPage {
    var events: [CommittedEvent]
    /// The page holds all events up to this position.
    var through: Int64

    /// Reads at most `limit` events and `EventQuery.maxBytes` of payloads. Payloads are included because a projection
    /// must read the same data from the log as from a commit.
    ///
    /// - Parameter limit: 1 to 1000.
    static func read(
        after seq: Int64,
        through end: Int64,
        limit: Int,
        on connection: PQConnection
    ) throws(PersistenceError) -> LogPage {
        var query = EventQuery(limit: limit)
        query.after = seq
        query.before = end + 1
        let (statement, parameters) = EventSelection.make(query)
        let page = try EventSelection.page(try connection.query(statement, parameters))
        let isLast = page.isComplete && page.events.count < limit
        return LogPage(events: page.events, through: isLast ? end : page.events.last?.seq ?? end)
    }
}

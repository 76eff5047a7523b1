import EventModel

/// A stretch of the log as projections read it.
struct LogPage {
    var events: [CommittedEvent]
    /// There is no other event up to this place.
    var through: Int64

    /// At most `limit` events and `EventQuery.maxBytes` of payloads: what hooks say of a prompt stands there, and a
    /// projection must read the same from the log as from a commit.
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

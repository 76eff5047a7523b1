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
        guard seq < end else { return LogPage(events: [], through: end) }
        let pages = try read([seq + 1...end], limit: limit, on: connection)
        return pages[0]
    }

    /// Reads the beginning of each range, in one round trip. `limit` is for each; `EventQuery.maxBytes` is for all.
    static func read(
        _ ranges: [ClosedRange<Int64>],
        limit: Int = 1000,
        on connection: PQConnection
    ) throws(PersistenceError) -> [LogPage] {
        let results = try connection.pipeline(
            ranges.map { range in
                var query = EventQuery(limit: limit)
                query.after = range.lowerBound - 1
                query.before = range.upperBound + 1
                query.maxBytes /= ranges.count
                return EventSelection.make(query)
            }
        )
        var pages: [LogPage] = []
        for (range, result) in zip(ranges, results) {
            let page = try EventSelection.page(result)
            let isLast = page.isComplete && page.events.count < limit
            let through = isLast ? range.upperBound : page.events.last?.seq ?? range.upperBound
            pages.append(LogPage(events: page.events, through: through))
        }
        return pages
    }
}

import EventModel

/// A stretch of the log as projections read it: without the payloads.
struct LogPage {
    var events: [CommittedEvent]
    /// There is no other event up to this place.
    var through: Int64

    static func read(
        after seq: Int64,
        through end: Int64,
        limit: Int64,
        on connection: PQConnection
    ) throws(PersistenceError) -> LogPage {
        var parameters = Parameters()
        for number in [seq, end, limit] { parameters.add(number) }
        let events = try connection.query(statement, parameters).map(EventSelection.event)
        return LogPage(events: events, through: Int64(events.count) < limit ? end : events.last?.seq ?? end)
    }

    private static let statement = Statement(
        "log_page",
        [.int8, .int8, .int8],
        """
        SELECT \(EventSelection.factColumns) FROM events
        WHERE seq > $1 AND seq <= $2 ORDER BY seq LIMIT $3
        """
    )
}

import EventModel

/// The steps of a query that no index supports. By type, machine or several workspaces, the log is scanned in the
/// order of `seq` and filtered. One step reads a bounded range, and one query takes a bounded number of steps. Then
/// the page ends at the position reached, and the caller continues from there.
///
/// So a query for a type that never occurs, or on a very long log, does not time out.
struct EventScan {
    /// Number of positions that one statement scans.
    static let stepPlaces: Int64 = 50_000
    /// Number of positions that one query scans: about one second of work if the log is in memory.
    static let placesPerQuery: Int64 = 1_000_000

    private var query: EventQuery
    /// The range still to be scanned.
    private var rest: ClosedRange<Int64>?
    private let mostPlaces: Int64
    private var places: Int64 = 0
    private(set) var events: [CommittedEvent] = []
    /// The position at which the page ends, as `EventPage.through`.
    private(set) var through: Int64?

    /// Whether the conditions require a scan in log order.
    static func isNeeded(_ query: EventQuery) -> Bool {
        guard query.sessionID == nil, query.workspaceID == nil, query.offset == nil else { return false }
        return !query.types.isEmpty || query.machine != nil || !query.workspaceIDs.isEmpty
    }

    init(_ query: EventQuery, in log: LogBounds, mostPlaces: Int64 = placesPerQuery) {
        self.query = query
        self.query.limit = min(max(query.limit, 1), 1000)
        self.mostPlaces = mostPlaces
        let first = max(log.oldest, query.after.map { $0 == .max ? $0 : $0 + 1 } ?? log.oldest)
        let last = min(log.head, query.before.map { $0 == .min ? $0 : $0 - 1 } ?? log.head)
        rest = first <= last ? first...last : nil
    }

    /// The next range to read, or `nil` if the page is complete.
    func next() -> EventQuery? {
        guard through == nil, query.limit > 0, let stretch else { return nil }
        var step = query
        step.after = stretch.lowerBound - 1
        step.before = stretch.upperBound + 1
        return step
    }

    /// Takes the result of the query that `next` returned.
    mutating func found(_ page: EventPage) {
        guard let rest, let stretch else { return }
        events += page.events
        query.limit -= page.events.count
        query.maxBytes -= page.events.reduce(0) { $0 + $1.event.payload.count }
        places += Int64(stretch.count)
        let end = query.isDescending ? stretch.lowerBound : stretch.upperBound
        let isLast = query.isDescending ? end == rest.lowerBound : end == rest.upperBound
        self.rest = isLast ? nil : query.isDescending ? rest.lowerBound...(end - 1) : (end + 1)...rest.upperBound
        if page.through != nil {
            through = page.through
        } else if !isLast, query.limit > 0, places >= mostPlaces || query.maxBytes <= 0 {
            through = end
        }
    }

    private var stretch: ClosedRange<Int64>? {
        guard let rest else { return nil }
        return query.isDescending
            ? max(rest.lowerBound, rest.upperBound - EventScan.stepPlaces + 1)...rest.upperBound
            : rest.lowerBound...min(rest.upperBound, rest.lowerBound + EventScan.stepPlaces - 1)
    }
}

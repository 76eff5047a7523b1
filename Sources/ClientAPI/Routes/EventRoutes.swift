internal import API
internal import EventModel
internal import HTTPModel
internal import JSON
internal import Persistence

/// `/v1/events` as a list. The fan-out serves the same path as a stream.
struct EventRoutes: Sendable {
    let database: any StoreAccess
    let clock: @Sendable () -> Timestamp

    var routes: [Route] {
        [
            Route(.get, "/v1/events", .read, handler: list).described {
                EventRoutes.description(
                    $0,
                    "Events, as a list or, for 'Accept: text/event-stream', as a stream.",
                    [.text("session_id", "Of this session.")]
                )
            }
        ]
    }

    /// - Parameter more: the parameters that the list and the stream have besides those of a session's events.
    static func description(
        _ route: RouteDescription,
        _ summary: String,
        _ more: [QueryParameter] = []
    ) -> RouteDescription {
        let filter = [.types, .machine, .project] + more
        return route.saying(summary, QueryParameter.log + filter, faults: [409])
            .answering(200, "application/json", "EventPage")
            .streaming(filter + [.since])
    }

    @Sendable private func list(_ request: RouteRequest) async throws(APIError) -> HTTPResponse {
        try await EventListing(database: database, clock: clock).answer(request, sessionID: request.query["session_id"])
    }
}

/// A page of events.
struct EventListing {
    let database: any StoreAccess
    let clock: @Sendable () -> Timestamp

    func answer(_ request: RouteRequest, sessionID: String?) async throws(APIError) -> HTTPResponse {
        let found = try await LogPage(request, of: database, sessionID: sessionID)
        var list = JSONWriter(reserving: 1024 * (found.events.count + 1))
        list.beginArray()
        for event in found.events { event.write(to: &list, epoch: found.bounds.epoch) }
        list.endArray()
        let page = found.page(list.bytes, count: found.events.count)
        return ListAnswer(found.paging, request, at: clock()).response(
            "events",
            page,
            meta: { found.writeMeta(count: found.events.count, to: &$0) }
        )
    }
}

/// A page in log order, with the cursor of the next page.
struct LogPage {
    let paging: Paging
    let events: ArraySlice<CommittedEvent>
    let bounds: LogBounds
    private let query: EventQuery
    private let limit: Int
    private let hasMore: Bool
    private let isCut: Bool
    /// The position after which the next page begins.
    private let place: Int64?
    private let total: Int?

    /// - Parameter types: the only types to select, whatever the request names. `nil` selects the requested types.
    init(
        _ request: RouteRequest,
        of database: any StoreAccess,
        sessionID: String?,
        types: Set<EventType>? = nil
    ) async throws(APIError) {
        bounds = try await database.use { store throws(PersistenceError) in
            try await store.bounds()
        }
        paging = try Paging(request.query, path: request.http.path, .log)
        limit = paging.limit ?? 50
        var query = try LogPage.query(request.query, paging, epoch: bounds.epoch)
        query.sessionID = sessionID
        query.machine = try await database.machineFilter(request.query)
        if let types { query.types = types }
        query.limit = limit + 1
        // The answer contains each event twice.
        query.maxBytes = 4 << 20
        self.query = query
        let page = try await database.use { store throws(PersistenceError) in
            try await store.events(query)
        }
        events = page.events.prefix(limit)
        hasMore = page.events.count > limit || !page.isComplete
        let cut = page.events.count > limit ? nil : page.through
        isCut = cut != nil
        place = hasMore ? cut ?? events.last?.seq : nil
        if query.offset == nil {
            total = nil
        } else {
            let count = try await database.use { store throws(PersistenceError) in try await store.eventCount(query) }
            total = Int(count)
        }
    }

    func page(_ elements: [UInt8], count: Int) -> ListPage {
        ListPage(
            elements: elements,
            count: count,
            next: place.map { "\(bounds.epoch):\($0)" },
            hasMore: hasMore,
            total: total,
            isCut: isCut
        )
    }

    /// The members that every log list adds to the page.
    static let shape = ObjectShape<(page: LogPage, count: Int)>("LogPage") { it in it.object("meta", meta) { $0 } }

    private static let meta = ObjectShape<(page: LogPage, count: Int)> { it in
        it.member("count") { $0.count }
        it.member("limit") { $0.page.limit }
        it.member("has_more") { $0.page.hasMore }
        it.member("order", as: JSONSchema.words("asc", "desc")) { $0.page.query.isDescending ? "desc" : "asc" }
        it.member("epoch") { $0.page.bounds.epoch }
        it.member("head") { $0.page.bounds.head }
        it.member("oldest") { $0.page.bounds.oldest }
    }

    func writeMeta(count: Int, to writer: inout JSONWriter) {
        LogPage.meta.writeMembers(of: (self, count), to: &writer)
    }

    static func query(
        _ parameters: QueryParameters,
        _ paging: Paging,
        epoch: String
    ) throws(APIError) -> EventQuery {
        var query = EventQuery(limit: 1)
        switch parameters["order"] {
        case nil, "asc": break
        case "desc": query.isDescending = true
        default: throw .invalid("invalid_parameter", "'order' must be asc or desc.", param: "order")
        }
        query.after = try parameters.integer("after", in: 0...Int64.max)
        query.before = try parameters.integer("before", in: 0...Int64.max)
        if let cursor = paging.cursor {
            let seq = try LogPage.seq(cursor, epoch: epoch)
            if query.isDescending { query.before = seq } else { query.after = seq }
        }
        query.offset = paging.offset
        query.workspaceID = parameters["workspace_id"] ?? parameters["project_id"]
        query.types = Set((parameters.list("type") + parameters.list("types")).map(EventType.init(sent:)))
        return query
    }

    private static func seq(_ cursor: String, epoch: String) throws(APIError) -> Int64 {
        let parts = cursor.split(separator: ":")
        guard parts.count == 2, let seq = Int64(parts[1]), seq >= 0 else {
            throw .invalid("invalid_parameter", "'cursor' reads 'epoch:seq'.", param: "cursor")
        }
        guard parts[0] == epoch else {
            throw APIError(
                .conflict,
                status: 409,
                code: "position_gone",
                message: "The cursor belongs to a log that was replaced. Read again from the start.",
                param: "cursor"
            )
        }
        return seq
    }
}

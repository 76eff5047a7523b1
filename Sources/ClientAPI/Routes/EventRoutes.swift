internal import EventModel
internal import HTTPModel
internal import JSON

/// `/v1/events` as a list. The same path as a stream is the fan-out's.
struct EventRoutes: Sendable {
    let store: any EventStore

    var routes: [Route] {
        [
            Route(.get, "/v1/events", .read, handler: list).described {
                EventRoutes.description($0, "Events, as a list or, for 'Accept: text/event-stream', as a stream.")
            }
        ]
    }

    static func description(_ route: RouteDescription, _ summary: String) -> RouteDescription {
        let filter: [QueryParameter] = [.text("types", "Only these types, with commas between."), .machine, .project]
        return route.saying(summary, QueryParameter.log + filter, faults: [409])
            .answering(200, "application/json", "EventPage")
            .answering(200, "text/event-stream")
    }

    @Sendable private func list(_ request: RouteRequest) async throws(APIError) -> HTTPResponse {
        try await EventListing(store: store).answer(request.query, sessionID: request.query["session_id"])
    }
}

/// A page of events.
struct EventListing {
    let store: any EventStore

    func answer(_ parameters: QueryParameters, sessionID: String?) async throws(APIError) -> HTTPResponse {
        let bounds = try await store.bounds()
        var query = try EventListing.query(parameters, epoch: bounds.epoch)
        query.sessionID = sessionID
        query.machine = try await store.machineFilter(parameters)
        let limit = query.limit
        query.limit = limit + 1
        let page = try await store.events(query)
        let events = page.events.prefix(limit)
        let hasMore = page.events.count > limit || !page.isComplete

        var writer = JSONWriter(reserving: 1024 * (events.count + 1))
        writer.beginObject()
        writer.beginArray("events")
        for event in events { event.write(to: &writer, epoch: bounds.epoch) }
        writer.endArray()
        let cut = page.events.count > limit ? nil : page.through
        if hasMore, let place = cut ?? events.last?.seq {
            writer.field("next_cursor", "\(bounds.epoch):\(place)")
        } else {
            writer.null("next_cursor")
        }
        writer.beginObject("meta")
        writer.field("count", events.count)
        writer.field("limit", limit)
        writer.field("has_more", hasMore)
        writer.field("order", query.isDescending ? "desc" : "asc")
        writer.field("epoch", bounds.epoch)
        writer.field("head", bounds.head)
        writer.field("oldest", bounds.oldest)
        writer.endObject()
        writer.endObject()
        return .json(writer.bytes)
    }

    static func query(_ parameters: QueryParameters, epoch: String) throws(APIError) -> EventQuery {
        var query = EventQuery(limit: Int(try parameters.integer("limit", in: 1...999) ?? 50))
        switch parameters["order"] {
        case nil, "asc": break
        case "desc": query.isDescending = true
        default: throw .invalid("invalid_parameter", "'order' must be asc or desc.", param: "order")
        }
        query.after = try parameters.integer("after", in: 0...Int64.max)
        query.before = try parameters.integer("before", in: 0...Int64.max)
        if let cursor = parameters["cursor"] {
            let seq = try EventListing.seq(cursor, epoch: epoch)
            if query.isDescending { query.before = seq } else { query.after = seq }
        }
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

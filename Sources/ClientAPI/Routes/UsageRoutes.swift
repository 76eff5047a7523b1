internal import EventModel
internal import HTTPModel
internal import JSON

/// `/v1/stats`: what was done over days, by day, machine, project, model or tool.
struct UsageRoutes: Sendable {
    private static let usualDays = 30
    private static let maximumDays = 92

    let store: any UsageStore
    let clock: @Sendable () -> Timestamp

    var routes: [Route] {
        [
            Route(.get, "/v1/stats", .read, handler: usage).described(
                "Sums over whole days (UTC).",
                [
                    .date("from", "The first day; a time says the same."), .date("to", "The last day."),
                    .choice("by", UsageQuery.Dimension.allCases.map(\.rawValue), "One row for each."),
                ],
                as: "Usage"
            )
        ]
    }

    @Sendable private func usage(_ request: RouteRequest) async throws(APIError) -> HTTPResponse {
        let query = try UsageRoutes.query(request.query, now: clock())
        let rows = try await store.usage(query)
        var writer = JSONWriter(reserving: 512 * (rows.count + 1))
        writer.beginObject()
        writer.field("object", "list")
        writer.field("by", query.by.rawValue)
        writer.field("from", query.from.date)
        writer.field("to", query.to.adding(seconds: -86400).date)
        writer.beginArray("data")
        for row in rows { row.write(to: &writer, by: query.by) }
        writer.endArray()
        writer.endObject()
        return .json(writer.bytes)
    }

    private static func query(_ parameters: QueryParameters, now: Timestamp) throws(APIError) -> UsageQuery {
        guard let by = UsageQuery.Dimension(rawValue: parameters["by"] ?? "day") else {
            throw .invalid("invalid_parameter", "'by' must be day, machine, project, model or tool.", param: "by")
        }
        let last = try day(parameters, "to") ?? now.midnight
        let first = try day(parameters, "from") ?? last.adding(seconds: -86400 * Double(usualDays - 1))
        let days = Int(last.seconds(since: first)) / 86400 + 1
        guard first <= last, days <= maximumDays else {
            throw .invalid(
                "invalid_parameter",
                "'from' to 'to' must be 1 to \(maximumDays) days.",
                param: "from"
            )
        }
        return UsageQuery(from: first, to: last.adding(seconds: 86400), by: by)
    }

    private static func day(_ parameters: QueryParameters, _ name: String) throws(APIError) -> Timestamp? {
        guard let text = parameters[name] else { return nil }
        guard let time = Timestamp(rfc3339: text) ?? Timestamp(rfc3339: text + "T00:00:00Z") else {
            throw .invalid("invalid_parameter", "'\(name)' must be a date or an RFC 3339 time.", param: name)
        }
        return time.midnight
    }
}

extension Timestamp {
    /// The beginning of the day (UTC).
    fileprivate var midnight: Timestamp {
        let day: Int64 = 86_400_000_000
        return Timestamp(microseconds: microseconds - (microseconds % day + day) % day)
    }

    fileprivate var date: String { String(description.prefix(10)) }
}

extension UsageRow {
    fileprivate func write(to writer: inout JSONWriter, by: UsageQuery.Dimension) {
        writer.beginObject()
        if key.isEmpty { writer.null("key") } else { writer.field("key", key) }
        writer.field("name", name)
        if let events {
            writer.field("events", events.total)
            if by != .tool { writer.field("prompts", events.prompts) }
            writer.field("tool_calls", events.toolCalls)
            writer.field("tool_failures", events.toolFailures)
        }
        if let sessions {
            writer.field("sessions", sessions.count)
            writer.field("messages", sessions.messages)
            writer.beginObject("token_usage")
            writer.field("input_tokens", sessions.tokens.input)
            writer.field("output_tokens", sessions.tokens.output)
            writer.field("cache_read_tokens", sessions.tokens.cacheRead)
            writer.field("cache_creation_tokens", sessions.tokens.cacheCreation)
            writer.endObject()
            writer.field("total_tokens", sessions.tokens.total)
            writer.field("total_cost", sessions.cost)
        }
        writer.endObject()
    }
}

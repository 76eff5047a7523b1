internal import API
internal import EventModel
internal import HTTPModel
internal import JSON
internal import Persistence

/// `/v1/stats`: usage per day, machine, project, model or tool.
struct UsageRoutes: Sendable {
    private static let usualDays = 30
    private static let maximumDays = 92

    let database: any StoreAccess
    let clock: @Sendable () -> Timestamp

    var routes: [Route] {
        [
            Route(.get, "/v1/stats", .read, handler: usage).described(
                "Sums over whole days.",
                [
                    .date("from", "The first day; a time says the same."), .date("to", "The last day."),
                    .choice("by", UsageQuery.Dimension.allCases.map(\.rawValue), "One row for each."), .timezone,
                ],
                as: "Usage"
            )
        ]
    }

    @Sendable private func usage(_ request: RouteRequest) async throws(APIError) -> HTTPResponse {
        let (query, days) = try await query(request.query, now: clock())
        let rows = try await database.use { store throws(PersistenceError) in
            try await store.usageWithRequests(query)
        }
        return .json(UsageRoutes.shape, (query, days, rows))
    }

    typealias Shown = (query: UsageQuery, days: (first: LocalDay, last: LocalDay), rows: [UsageRow])

    static let shape = ObjectShape<Shown>("Usage") { it in
        it.constant("object", "list")
        it.word("by") { $0.query.by }
        it.member("from", as: JSONSchema.date) { $0.days.first.date }
        it.member("to", as: JSONSchema.date) { $0.days.last.date }
        it.list("data", of: UsageRow.shape) { usage in usage.rows.map { ($0, usage.query.by) } }
    }

    private func query(
        _ parameters: QueryParameters,
        now: Timestamp
    ) async throws(APIError) -> (UsageQuery, (first: LocalDay, last: LocalDay)) {
        guard let by = UsageQuery.Dimension(rawValue: parameters["by"] ?? "day") else {
            throw .invalid("invalid_parameter", "'by' must be day, machine, project, model or tool.", param: "by")
        }
        let zone = try parameters.timezone()
        let last = try await day(parameters, "to", or: .containing(now), in: zone)
        let first = try await day(
            parameters,
            "from",
            or: .date(last.date),
            later: 1 - Int64(UsageRoutes.usualDays),
            in: zone
        )
        guard first.number <= last.number, last.number - first.number < UsageRoutes.maximumDays else {
            throw .invalid(
                "invalid_parameter",
                "'from' to 'to' must be 1 to \(UsageRoutes.maximumDays) days.",
                param: "from"
            )
        }
        var query = UsageQuery(from: first.start, to: last.end, by: by)
        query.zone = zone
        return (query, (first, last))
    }

    /// The day that a parameter names, by a date or by a time of that day. Without the parameter, the day that is
    /// `later` days after the usual one.
    private func day(
        _ parameters: QueryParameters,
        _ name: String,
        or usual: LocalDay.Choice,
        later: Int64 = 0,
        in zone: TimeZoneName
    ) async throws(APIError) -> LocalDay {
        guard let text = parameters[name], let time = try parameters.time(name) else {
            return try await day(usual, later: later, in: zone)
        }
        let isDate = Timestamp(rfc3339: text) == nil
        return try await day(isDate ? .date(text) : .containing(time), later: 0, in: zone)
    }

    /// Days in UTC need no database.
    private func day(
        _ choice: LocalDay.Choice,
        later: Int64,
        in zone: TimeZoneName
    ) async throws(APIError) -> LocalDay {
        if zone == .utc, let day = LocalDay(utc: choice, later: later) { return day }
        return try await database.localDay(choice, later: later, in: zone)
    }
}

extension UsageRow {
    /// Omits members that do not apply to the dimension.
    fileprivate static let shape = ObjectShape<(row: UsageRow, by: UsageQuery.Dimension)>("UsageRow") { it in
        it.memberOrNull("key") { $0.row.key.isEmpty ? nil : $0.row.key }
        it.member("name") { $0.row.name }
        it.member("events") { $0.row.events?.total }
        it.member("prompts") { $0.by == .tool ? nil : $0.row.events?.prompts }
        it.member("tool_calls") { $0.row.events?.toolCalls }
        it.member("tool_failures") { $0.row.events?.toolFailures }
        it.member("sessions") { $0.row.sessions?.count }
        it.member("messages") { $0.row.sessions?.messages }
        it.object("token_usage", TokenUsage.shape) { $0.row.sessions?.tokens }
        it.member("total_tokens") { $0.row.sessions?.tokens.shownTotal }
        it.member("total_cost") { $0.row.sessions?.cost }
        it.word("usage_source") { $0.row.sessions?.source }
        it.word("usage_confidence") { $0.row.sessions?.confidence }
        it.member("usage_difference") { $0.row.sessions?.difference }
        it.object("unpriced", UnpricedUsage.shape) { $0.row.sessions?.unpriced }
    }
}

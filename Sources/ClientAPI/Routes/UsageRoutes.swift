internal import EventModel
internal import HTTPModel
internal import JSON

/// `/v1/stats`: usage per day, machine, project, model or tool.
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
        return .json(UsageRoutes.shape, (query, rows))
    }

    static let shape = ObjectShape<(query: UsageQuery, rows: [UsageRow])>("Usage") { it in
        it.constant("object", "list")
        it.word("by") { $0.query.by }
        it.member("from", as: JSONSchema.date) { $0.query.from.date }
        it.member("to", as: JSONSchema.date) { $0.query.to.adding(seconds: -86400).date }
        it.list("data", of: UsageRow.shape) { usage in usage.rows.map { ($0, usage.query.by) } }
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
    fileprivate var date: String { String(description.prefix(10)) }
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

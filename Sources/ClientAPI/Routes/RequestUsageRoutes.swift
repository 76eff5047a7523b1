internal import EventModel
internal import HTTPModel
internal import JSON
internal import Usage

/// `/v1/usage` and `/v1/sessions/{id}/requests`: tokens and cost of requests to models.
struct RequestUsageRoutes: Sendable {
    let store: any UsageStore
    let clock: @Sendable () -> Timestamp

    private static let filter: [QueryParameter] = [
        .date("from", "Requests since then; a date is its beginning in UTC."),
        .date("to", "Requests before then; with a date, that day is included."),
        .text("session_id", "Of this session."), .machine, .project,
        .choice("by", RequestUsageQuery.Dimension.allCases.map(\.rawValue), "One group for each."),
    ]

    var routes: [Route] {
        [
            Route(.get, "/v1/usage", .read, handler: sums)
                .described("Tokens and cost of requests to models.", RequestUsageRoutes.filter, as: "RequestUsage"),
            Route(.get, "/v1/sessions/{id}/requests", .read, handler: requests).described(
                "A session's requests to models, the earliest first.",
                [
                    .integer("limit", 1...500, "How many."),
                    .text("cursor", matching: "^[0-9]{1,16}~.+$", "The 'next_cursor' of the page before."),
                ],
                as: "RequestPage"
            ),
        ]
    }

    @Sendable private func sums(_ request: RouteRequest) async throws(APIError) -> HTTPResponse {
        let parameters = request.query
        var query = RequestUsageQuery()
        query.from = try parameters.time("from")
        query.to = try parameters.time("to", addingDay: true)
        query.sessionID = parameters["session_id"]
        query.workspaceID = parameters["project_id"] ?? parameters["workspace_id"]
        if let name = parameters.machineName {
            // A machine that does not exist has used nothing.
            query.machine = try await store.machine(named: name) ?? MachineID(rawValue: -1)
        }
        if let by = parameters["by"] {
            query.by = RequestUsageQuery.Dimension(rawValue: by)
            guard query.by != nil else {
                let words = RequestUsageQuery.Dimension.allCases.map(\.rawValue).joined(separator: ", ")
                throw .invalid("invalid_parameter", "'by' must be one of \(words).", param: "by")
            }
        }
        var sums = try await store.usageSums(query)
        if query.by == .tool { sums.groups = try await tools(query) }
        return .json(RequestUsageRoutes.shape, (query, sums))
    }

    /// Requests name no tools, so tools are counted by their calls.
    private func tools(_ query: RequestUsageQuery) async throws(APIError) -> [UsageSum] {
        let now = clock()
        let from = query.from ?? now.adding(seconds: -91 * 86_400)
        let rows = try await store.usage(UsageQuery(from: from, to: query.to ?? now.adding(seconds: 86_400), by: .tool))
        return rows.map { row in
            var sum = UsageSum()
            sum.key = row.key
            sum.calls = row.events?.toolCalls
            return sum
        }
    }

    @Sendable private func requests(_ request: RouteRequest) async throws(APIError) -> HTTPResponse {
        let limit = try request.query.integer("limit", in: 1...500).map { Int($0) } ?? 100
        let cursor = try request.query["cursor"].map(RequestUsageRoutes.cursor)
        let page = try await store.requests(of: request.parameters["id"] ?? "", after: cursor, limit: limit)
        let next = page.hasMore ? page.requests.last.map { "\($0.usage.at.microseconds)~\($0.key)" } : nil
        return .json(RequestUsageRoutes.page, (page.requests, next))
    }

    private static func cursor(_ text: String) throws(APIError) -> (at: Timestamp, key: String) {
        let parts = text.split(separator: "~", maxSplits: 1)
        guard parts.count == 2, let time = Int64(parts[0]) else {
            throw .invalid("invalid_cursor", "'cursor' is not one that this list gave.", param: "cursor")
        }
        return (Timestamp(microseconds: time), String(parts[1]))
    }

    static let shape = ObjectShape<(query: RequestUsageQuery, sums: UsageSums)>("RequestUsage") { it in
        it.constant("object", "usage")
        it.member("by") { $0.query.by?.rawValue }
        it.member("from") { $0.query.from }
        it.member("to") { $0.query.to }
        it.object("total", UsageSum.shape) { $0.sums.total }
        it.list("groups", of: UsageSum.group) { $0.sums.groups }
    }

    static let page = ObjectShape<(requests: [RequestRecord], next: String?)>("RequestPage") { it in
        it.list("requests", of: RequestRecord.shape) { $0.requests }
        it.memberOrNull("next_cursor") { $0.next }
    }
}

extension UsageSum {
    fileprivate static let shape = ObjectShape<UsageSum>("UsageSum") { it in
        it.member("requests") { $0.requests }
        it.object("token_usage", TokenUsage.shape) { $0.tokens.usage }
        it.member("total_tokens") { $0.tokens.usage.shownTotal }
        it.member("total_cost") { $0.cost }
        it.member("is_estimated") { $0.hasEstimate }
        it.member("requests_by_telemetry") { $0.byTelemetry }
        it.member("requests_by_transcript") { $0.byTranscript }
    }

    fileprivate static let group = ObjectShape<UsageSum>("UsageGroup", extending: shape, { $0 }) { it in
        it.memberOrNull("key") { $0.key.isEmpty ? nil : $0.key }
        it.member("name") { $0.name }
        it.member("tool_calls") { $0.calls }
    }
}

extension RequestRecord {
    static let shape = ObjectShape<RequestRecord>("ModelRequest") { it in
        it.memberOrNull("message_id") { $0.usage.messageID }
        it.memberOrNull("request_id") { $0.usage.requestID }
        it.member("timestamp") { $0.usage.at }
        it.memberOrNull("model") { $0.usage.model }
        it.object("token_usage", TokenUsage.shape) { $0.usage.tokens.usage }
        it.object("cache_creation") { it in
            it.member("ephemeral_5m_tokens") { $0.usage.tokens.cacheWrite5m }
            it.member("ephemeral_1h_tokens") { $0.usage.tokens.cacheWrite1h }
        }
        it.member("cost") { $0.cost }
        it.member("is_estimated") { $0.isEstimate }
        it.word("source") { $0.source }
        it.member("query_source") { $0.usage.querySource }
        it.member("turn_id") { $0.usage.turnID }
        it.member("agent_id") { $0.usage.agentID }
    }
}

internal import API
internal import EventModel
internal import HTTPModel
internal import JSON
internal import Persistence

/// `/v1/usage` and `/v1/sessions/{id}/requests`: tokens and cost of requests to models.
struct RequestUsageRoutes: Sendable {
    let database: any StoreAccess
    let clock: @Sendable () -> Timestamp

    private static let pageSize = Paging.Size(range: 1...500, usual: 100, isNumbered: false)

    private static let filter: [QueryParameter] = [
        .date("from", "Requests since then; a date is its beginning."),
        .date("to", "Requests before then; with a date, that day is included."),
        .text("session_id", "Of this session."), .machine, .project,
        .choice(
            "by",
            RequestUsageQuery.Dimension.allCases.map(\.rawValue),
            "One group for each. 'tool' counts calls: whole quarters of an hour, or the events of the session."
        ),
        .timezone,
    ]

    var routes: [Route] {
        [
            Route(.get, "/v1/usage", .read, handler: sums)
                .described("Tokens and cost of requests to models.", RequestUsageRoutes.filter, as: "RequestUsage"),
            Route(.get, "/v1/usage/windows", .read, handler: windows).described(
                "Tokens and cost of the current five-hour window and of the last seven days.",
                [.machine, .project, .timezone],
                as: "UsageWindows"
            ),
            Route(.get, "/v1/sessions/{id}/requests", .read, handler: requests).described(
                "A session's requests to models, the earliest first.",
                [
                    .integer("limit", 1...500, "How many."),
                    .text("cursor", matching: "^[0-9]{1,16}~[0-9a-f]+$", "The 'next_cursor' of the page before."),
                ],
                as: "RequestPage"
            ),
        ]
    }

    @Sendable private func sums(_ request: RouteRequest) async throws(APIError) -> HTTPResponse {
        let parameters = request.query
        var query = try await place(parameters)
        query.from = try await parameters.time("from", in: query.zone, database)
        query.to = try await parameters.time("to", addingDay: true, in: query.zone, database)
        query.sessionID = parameters["session_id"]
        if let by = parameters["by"] {
            query.by = RequestUsageQuery.Dimension(rawValue: by)
            guard query.by != nil else {
                let words = RequestUsageQuery.Dimension.allCases.map(\.rawValue).joined(separator: ", ")
                throw .invalid("invalid_parameter", "'by' must be one of \(words).", param: "by")
            }
        }
        var sums = try await database.use { store throws(PersistenceError) in
            try await store.usageSums(query)
        }
        // Requests name no tools.
        if query.by == .tool {
            sums.groups = try await database.use { store throws(PersistenceError) in
                try await store.toolCalls(query, now: clock())
            }
        }
        return .json(RequestUsageRoutes.shape, (query, sums))
    }

    @Sendable private func windows(_ request: RouteRequest) async throws(APIError) -> HTTPResponse {
        let query = try await place(request.query)
        let now = clock()
        let windows = try await database.use { store throws(PersistenceError) in
            try await store.usageWindows(query, now: now)
        }
        return .json(UsageWindows.shape, windows)
    }

    /// The machine and the project of a query.
    private func place(_ parameters: QueryParameters) async throws(APIError) -> RequestUsageQuery {
        var query = RequestUsageQuery()
        query.zone = try parameters.timezone()
        try await database.check(query.zone)
        query.workspaceID = parameters["project_id"] ?? parameters["workspace_id"]
        if let name = parameters.machineName {
            // A machine that does not exist has used nothing.
            query.machine = try await database.machine(named: name) ?? MachineID(rawValue: -1)
        }
        return query
    }

    @Sendable private func requests(_ request: RouteRequest) async throws(APIError) -> HTTPResponse {
        let id = request.parameters["id"] ?? ""
        let paging = try Paging(request.query, path: request.http.path, RequestUsageRoutes.pageSize)
        let cursor = try paging.cursor.map(RequestUsageRoutes.cursor)
        let page = try await database.use { store throws(PersistenceError) in
            try await store.requests(of: id, after: cursor, limit: paging.limit ?? 100)
        }
        if page.requests.isEmpty {
            let session = try await database.use { store throws(PersistenceError) in
                try await store.sessionWithUsage(id: id)
            }
            guard session != nil else { throw .sessionNotFound }
        }
        let next = page.hasMore ? page.requests.last.map(RequestUsageRoutes.cursor(after:)) : nil
        return ListAnswer(paging, request, at: clock())
            .response("requests", page.requests, of: RequestRecord.shape, next: next)
    }

    /// A time, and a key in hexadecimal, because a key may have characters that an address cannot.
    private static func cursor(after request: RequestRecord) -> String {
        let key = request.key.utf8.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }
        return "\(request.usage.at.microseconds)~\(key.joined())"
    }

    private static func cursor(_ text: String) throws(APIError) -> (at: Timestamp, key: String) {
        let parts = text.split(separator: "~", maxSplits: 1)
        guard parts.count == 2, let time = Int64(parts[0]), parts[1].utf8.count % 2 == 0 else { throw .invalidCursor }
        var bytes: [UInt8] = []
        var rest = parts[1]
        while !rest.isEmpty {
            guard let byte = UInt8(rest.prefix(2), radix: 16) else { throw .invalidCursor }
            bytes.append(byte)
            rest = rest.dropFirst(2)
        }
        return (Timestamp(microseconds: time), String(decoding: bytes, as: UTF8.self))
    }

    static let shape = ObjectShape<(query: RequestUsageQuery, sums: UsageSums)>("RequestUsage") { it in
        it.constant("object", "usage")
        it.member("by") { $0.query.by?.rawValue }
        it.member("from") { $0.query.from }
        it.member("to") { $0.query.to }
        it.object("total", UsageSum.shape) { $0.sums.total }
        it.list("groups", of: UsageSum.group) { $0.sums.groups }
    }
}

extension APIError {
    fileprivate static var invalidCursor: APIError {
        .invalid("invalid_cursor", "'cursor' is not one that this list gave.", param: "cursor")
    }
}

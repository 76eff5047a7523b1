internal import API
internal import Audit
internal import EventModel
internal import HTTPModel
internal import JSON
internal import Persistence

/// `/v1/audit`: grants, refusals and revocations of access.
struct AuditRoutes: Sendable {
    let database: any StoreAccess
    let clock: @Sendable () -> Timestamp

    var routes: [Route] {
        [
            Route(.get, "/v1/audit", .administer, handler: list).described(
                "The audit log, the newest first.",
                [
                    .integer("limit", 1...200, "How many."),
                    .text("cursor", matching: "^[1-9][0-9]{0,17}$", "The 'next_cursor' of the page before."),
                    .text("actor", "Only of this one: admin, device:ID or anonymous."),
                    .text("action", "Only this, as pairing.exchange."),
                    .text("result", "Only with this result, as granted."),
                ],
                as: "AuditPage"
            )
        ]
    }

    @Sendable private func list(_ request: RouteRequest) async throws(APIError) -> HTTPResponse {
        let paging = try Paging(request.query, path: "/v1/audit", .byCursor)
        let limit = paging.limit ?? 50
        var query = AuditQuery(limit: limit + 1)
        if let cursor = paging.cursor {
            guard let id = Int64(cursor), id > 0 else {
                throw .invalid("invalid_parameter", "'cursor' is not one that a list gave out.", param: "cursor")
            }
            query.before = id
        }
        query.actor = request.query["actor"]
        query.action = request.query["action"]
        query.result = request.query["result"]
        let found = try await database.use { store throws(PersistenceError) in try await store.auditLog(query) }
        let page = found.prefix(limit)
        var list = JSONWriter(reserving: 256 * (page.count + 1))
        list.beginArray()
        for record in page { AuditRecord.shape.write(record, to: &list) }
        list.endArray()
        let hasMore = found.count > limit
        let answer = ListPage(
            elements: list.bytes,
            count: page.count,
            next: hasMore ? page.last.map { String($0.id) } : nil,
            hasMore: hasMore
        )
        return ListAnswer(paging, request, at: clock()).response(nil, answer)
    }
}

extension AuditRecord {
    static let shape = ObjectShape<AuditRecord>("AuditRecord") { it in
        it.member("id") { String($0.id) }
        it.member("at") { $0.entry.at }
        it.member("actor") { $0.entry.actor }
        it.member("action") { $0.entry.action }
        it.member("object") { $0.entry.object }
        it.member("result") { $0.entry.result }
        it.member("peer") { $0.entry.peer }
        it.member("request_id") { $0.entry.requestID }
        it.member("attempts") { $0.entry.attempts }
    }
}

internal import API
internal import Audit
internal import HTTPModel
internal import JSON
internal import Persistence

/// `/v1/audit/answers`: the chain of answers and messages.
struct TrailRoutes: Sendable {
    let database: any StoreAccess

    private static let maximum: Int64 = 1000

    var routes: [Route] {
        [
            Route(.get, "/v1/audit/answers", .administer, handler: list).described(
                "What was asked, answered, applied and sent, as a chain of digests, the oldest first.",
                [
                    .integer("after", 0...Int64.max, "Only those after this 'id'."),
                    .integer("limit", 1...TrailRoutes.maximum, "How many."),
                ],
                as: "Trail"
            )
        ]
    }

    @Sendable private func list(_ request: RouteRequest) async throws(APIError) -> HTTPResponse {
        let after = try request.query.integer("after", in: 0...Int64.max) ?? 0
        let limit = try request.query.integer("limit", in: 1...TrailRoutes.maximum) ?? TrailRoutes.maximum
        let entries = try await database.use { store throws(PersistenceError) in
            try await store.trail(after: after, limit: Int(limit))
        }
        return .json(TrailRoutes.shape, entries)
    }

    static let shape = ObjectShape<[TrailRecord]>("Trail") { it in
        it.list("entries", of: TrailRecord.shape) { $0 }
        it.member("next") { $0.last.map { String($0.id) } }
    }
}

internal import API
internal import EventModel
internal import HTTPModel
internal import JSON
internal import Persistence
internal import Sessions

/// `/v1/prompts`: the prompts of sessions, and how they ended.
struct PromptRoutes: Sendable {
    let database: any StoreAccess
    let reader: PromptReader
    let clock: @Sendable () -> Timestamp

    private static let filter =
        QueryParameter.paging + [
            .choice("state", Prompt.State.allCases.map(\.rawValue), "In this state."),
            .choice("kind", Prompt.Kind.allCases.map(\.rawValue), "Of this kind."),
            .text("session_id", "Of this session."), .machine,
        ]

    var routes: [Route] {
        [
            Route(.get, "/v1/prompts", .read, handler: list)
                .described("Prompts, the latest opened first.", PromptRoutes.filter, as: "PromptPage")
        ]
    }

    @Sendable private func list(_ request: RouteRequest) async throws(APIError) -> HTTPResponse {
        let paging = try Paging(request.query, path: "/v1/prompts")
        var query = PromptQuery(limit: paging.limit ?? 50)
        query.cursor = try ListCursor(paging)
        query.offset = paging.offset
        query.state = try request.query.choice("state", of: Prompt.State.allCases)
        query.kind = try request.query.choice("kind", of: Prompt.Kind.allCases)
        query.sessionID = request.query["session_id"]
        query.machine = try await database.machineFilter(request.query)
        var page = try await database.use { store throws(PersistenceError) in try await store.prompts(query) }
        page.prompts = await reader.completed(page.prompts)
        return ListAnswer(paging, request, at: clock()).response(
            "prompts",
            latest: page.prompts,
            of: PromptRecord.shape,
            hasMore: page.hasMore,
            total: page.total,
            cursor: { ListCursor(at: $0.prompt.openedAt, id: $0.prompt.id) }
        )
    }
}

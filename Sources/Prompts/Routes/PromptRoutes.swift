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
        query.cursor = try ActivityCursor(paging)
        query.offset = paging.offset
        query.state = try request.query.choice("state")
        query.kind = try request.query.choice("kind")
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
            cursor: { ActivityCursor(lastActivityAt: $0.prompt.openedAt, id: $0.prompt.id) }
        )
    }
}

extension QueryParameters {
    /// Returns `nil` without the parameter.
    fileprivate func choice<Value: RawRepresentable<String> & CaseIterable>(
        _ name: String
    ) throws(APIError) -> Value? {
        guard let text = self[name] else { return nil }
        guard let value = Value(rawValue: text) else {
            let words = Value.allCases.map(\.rawValue).joined(separator: ", ")
            throw .invalid("invalid_parameter", "'\(name)' must be one of \(words).", param: name)
        }
        return value
    }
}

internal import API
internal import EventModel
internal import HTTPModel
internal import JSON
internal import Persistence

/// `/v1/search`: finds text in conversations and hook events.
struct SearchRoutes: Sendable {
    private static let maxText = 1000

    /// Seconds after which a search is answered without results.
    private static let seconds = 20.0

    let database: any StoreAccess
    /// By the callers' names in the audit log.
    private let turns = SearchTurns<String>()
    let clock: @Sendable () -> Timestamp

    init(database: any StoreAccess, clock: @escaping @Sendable () -> Timestamp) {
        (self.database, self.clock) = (database, clock)
    }

    var routes: [Route] {
        [
            // The wait makes the client's disconnection end the search.
            Route(.get, "/v1/search", .read, handler: search).waiting { request in
                AnswerWait(
                    seconds: SearchRoutes.seconds,
                    overdue: SearchRoutes.overdue.response(requestID: request.http.requestID)
                )
            }.described(
                "Text of prompts, answers and tools, the newest first. A caller's newer search ends its older one.",
                [
                    .text("q", "Words or their beginnings; \"a phrase\", or, -without."),
                    .text("session_id", "Of this session."),
                    .machine, .project, .date("from", "Since then."), .date("to", "Before then."),
                    .choice("kind", SearchKind.groups.map(\.word), "Only of this kind."),
                    .integer("limit", 1...200, "How many."),
                    .text(
                        "cursor",
                        matching: "^[0-9]{1,17}~[01]~[0-9]{1,18}$",
                        "The 'next_cursor' of the page before."
                    ),
                ],
                as: "SearchPage",
                faults: [409]
            )
        ]
    }

    @Sendable private func search(_ request: RouteRequest) async throws(APIError) -> HTTPResponse {
        let parameters = request.query
        guard let text = parameters["q"], !text.isEmpty, text.utf8.count <= SearchRoutes.maxText else {
            throw .invalid("invalid_parameter", "'q' must be 1 to \(SearchRoutes.maxText) bytes.", param: "q")
        }
        let paging = try Paging(parameters, path: request.http.path, .byCursor)
        var query = SearchQuery(try SearchRoutes.expression(text), limit: paging.limit ?? 50)
        query.sessionID = parameters["session_id"]
        query.workspaceID = parameters["project_id"] ?? parameters["workspace_id"]
        query.from = try parameters.time("from")
        query.to = try parameters.time("to", addingDay: true)
        if let name = parameters.machineName {
            query.machine = try await database.machine(named: name) ?? MachineID(rawValue: -1)
        }
        if let kind = parameters["kind"] {
            guard let group = SearchKind.groups.first(where: { $0.word == kind }) else {
                let words = SearchKind.groups.map(\.word).joined(separator: ", ")
                throw .invalid("invalid_parameter", "'kind' must be one of \(words).", param: "kind")
            }
            query.kinds = group.kinds
        }
        query.before = try paging.cursor.map(SearchRoutes.place)
        let page = try await page(query, for: request.caller.principal?.auditName ?? "")
        return ListAnswer(paging, request, at: clock()).response(
            "results",
            page.results,
            of: SearchRoutes.result,
            next: page.hasMore ? page.results.last?.place.text : nil
        )
    }

    private func page(_ query: SearchQuery, for caller: String) async throws(APIError) -> SearchPage {
        let database = database
        let result = await turns.run(for: caller) { () async -> Result<SearchPage, APIError>? in
            do throws(APIError) {
                return .success(
                    try await database.use { store throws(PersistenceError) in
                        try await store.search(query)
                    }
                )
            } catch {
                return .failure(error)
            }
        }
        guard let result = result ?? nil else {
            throw APIError(
                .conflict,
                status: 409,
                code: "search_replaced",
                message: "A newer search of this caller took this one's place."
            )
        }
        return try result.get()
    }

    private static let overdue = APIError.unavailable(
        "query_timeout",
        "The search took too long. Ask for less: a shorter time, one session, a rarer word.",
        retryAfter: 5
    )

    private static func expression(_ text: String) throws(APIError) -> SearchExpression {
        do throws(SearchExpression.Fault) {
            return try SearchExpression(text)
        } catch {
            let reason =
                switch error {
                case .noPositiveWord:
                    "'q' needs a word to find: only words to leave out, or no letter or digit, is not enough."
                case .tooManyWords: "'q' has more than \(SearchExpression.maximumWords) words."
                }
            throw .invalid("invalid_parameter", reason, param: "q")
        }
    }

    private static func place(_ cursor: String) throws(APIError) -> SearchPlace {
        let parts = cursor.split(separator: "~").map { Int64($0) }
        guard parts.count == 3, let at = parts[0], let isLine = parts[1], let number = parts[2] else {
            throw .invalid("invalid_parameter", "'cursor' is not one that this list gave.", param: "cursor")
        }
        return SearchPlace(at: Timestamp(microseconds: at), isLine: isLine == 1, number: number)
    }

    static let result = ObjectShape<SearchResult>("SearchResult") { it in
        it.member("session_id") { $0.sessionID }
        it.member("kind", as: JSONSchema.words("prompt", "answer", "thinking", "tool_input", "tool_output", "image")) {
            $0.kind
        }
        it.member("seq") { $0.place.isLine ? nil : $0.place.number }
        it.member("line") { $0.place.isLine ? $0.place.number : nil }
        it.member("timestamp") { $0.place.at }
        it.member("snippet") { $0.snippet }
    }
}

extension SearchPlace {
    fileprivate var text: String { "\(at.microseconds)~\(isLine ? 1 : 0)~\(number)" }
}

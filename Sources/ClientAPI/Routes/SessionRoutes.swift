internal import API
internal import EventModel
internal import HTTPModel
internal import JSON
internal import Persistence
internal import Sessions
internal import Usage

/// `/v1/sessions`: the sessions, their state and their history.
struct SessionRoutes: Sendable {
    let database: any StoreAccess
    let clock: @Sendable () -> Timestamp

    private static let filter =
        QueryParameter.paging + [
            .choice("kind", Session.Kind.allCases.map(\.rawValue), "Plain chats, or without them; usually session."),
            .choice("status", ["active", "idle", "ended", "all"], "In this status."), .machine, .project,
            .choice("state", SessionRoutes.states.map(\.rawValue), "In this state, as the session's events say."),
            .choice("archived", ["false", "true", "all"], "Without the archive, the archive alone, or both."),
            .text("q", "With each of these words in the title, the directory, the machine or the id."),
            .choice("sort", SessionQuery.Order.allCases.map(\.rawValue), "By what; usually by activity."),
            .choice("order", ["desc", "asc"], "The direction; usually desc."),
            .text("fields", "Only these members, with commas between, and the id."),
        ]

    private static let states: [Session.State] = [.running, .waiting, .idle, .error]

    var routes: [Route] {
        [
            Route(.get, "/v1/sessions", .read, handler: list)
                .described(
                    "Sessions, the latest active first. Counts all that match.",
                    SessionRoutes.filter,
                    as: "SessionPage"
                ),
            Route(.get, "/v1/sessions/stats", .read, handler: statistics)
                .described("Sums over all sessions.", as: "SessionStatistics"),
            Route(.get, "/v1/sessions/{id}", .read, handler: session).described("One session.", as: "Session"),
            Route(.get, "/v1/sessions/{id}/events", .read, handler: events).described {
                EventRoutes.description($0, "A session's events, as a list or as a stream.")
            },
            Route(.get, "/v1/sessions/{id}/messages", .read, handler: messages)
                .described(
                    "A session's conversation: from its transcript, or prompts and answers from hooks.",
                    QueryParameter.log + [
                        .text("agent_id", "The conversation of this subagent."),
                        .date("at", "Where the first page begins, in the direction of the order."),
                        .integer(
                            "text_limit",
                            ConversationListing.textLimits,
                            "Longer texts are cut to so many characters."
                        ),
                        .choice(
                            "view",
                            MessageView.allCases.map(\.rawValue),
                            "With blocks, each text comes once: in data, and only in blocks."
                        ),
                    ],
                    as: "MessagePage",
                    faults: [409]
                ),
        ]
    }

    @Sendable private func list(_ request: RouteRequest) async throws(APIError) -> HTTPResponse {
        let now = clock()
        let paging = try Paging(request.query, path: "/v1/sessions")
        var query = SessionQuery(now: now, limit: paging.limit ?? 50)
        query.cursor = try ListCursor(paging)
        query.offset = paging.offset
        query.status = try status(request.query["status"])
        query.machine = try await database.machineFilter(request.query)
        query.workspaceID = request.query["workspace_id"] ?? request.query["project_id"]
        try select(&query, by: request.query)
        let shape = try SessionRoutes.shape(with: request.query["fields"])
        let page = try await database.use { store throws(PersistenceError) in
            try await store.sessionsOfKind(query)
        }
        return ListAnswer(paging, request, at: now).response(
            "sessions",
            page.sessions.map { ($0, now) },
            of: shape,
            next: page.next?.text,
            total: page.total
        )
    }

    /// The parameters that only lists of sessions have.
    private func select(_ query: inout SessionQuery, by parameters: QueryParameters) throws(APIError) {
        query.kind = try parameters.choice("kind", of: Session.Kind.allCases) ?? .session
        query.state = try parameters.choice("state", of: SessionRoutes.states)
        query.order = try parameters.choice("sort", of: SessionQuery.Order.allCases) ?? .activity
        query.isAscending = try parameters.choice("order", of: ["desc", "asc"]) == "asc"
        switch try parameters.choice("archived", of: ["false", "true", "all"]) {
        case "true": query.isArchived = true
        case "all": query.isArchived = nil
        default: query.isArchived = false
        }
        query.words = (parameters["q"] ?? "").split(whereSeparator: \.isWhitespace).prefix(16).map(String.init)
    }

    private static func shape(
        with fields: String?
    ) throws(APIError) -> ObjectShape<(session: Session, now: Timestamp)> {
        guard let fields else { return Session.shape }
        let names = fields.split(separator: ",").map { $0.filter { $0 != " " } }
        if let unknown = names.first(where: { !Session.shape.memberNames.contains($0) }) {
            throw .invalid("invalid_parameter", "'fields' names '\(unknown)', which no session has.", param: "fields")
        }
        return Session.shape.only(Set(names + ["id"]))
    }

    private func status(_ text: String?) throws(APIError) -> Session.Status? {
        guard let text, text != "all" else { return nil }
        guard let status = Session.Status(rawValue: text) else {
            throw .invalid("invalid_parameter", "'status' must be active, idle, ended or all.", param: "status")
        }
        return status
    }

    @Sendable private func session(_ request: RouteRequest) async throws(APIError) -> HTTPResponse {
        .json(Session.shape, (try await find(request), clock()))
    }

    @Sendable private func events(_ request: RouteRequest) async throws(APIError) -> HTTPResponse {
        let session = try await find(request)
        return try await EventListing(database: database, clock: clock).answer(request, sessionID: session.id)
    }

    @Sendable private func messages(_ request: RouteRequest) async throws(APIError) -> HTTPResponse {
        let session = try await find(request)
        let conversation = ConversationListing(database: database, clock: clock)
        if let answer = try await conversation.answer(request, session) { return answer }
        return try await MessageListing(database: database, clock: clock).answer(request, sessionID: session.id)
    }

    private func find(_ request: RouteRequest) async throws(APIError) -> Session {
        let (id, now) = (request.parameters["id"] ?? "", clock())
        let found = try await database.use { store throws(PersistenceError) in
            try await store.sessionOrChat(id: id, now: now)
        }
        guard let found else { throw .sessionNotFound }
        return found
    }

    @Sendable private func statistics(_ request: RouteRequest) async throws(APIError) -> HTTPResponse {
        let statistics = try await database.use { store throws(PersistenceError) in
            try await store.statisticsWithUsage(now: clock())
        }
        return .json(SessionStatistics.shape, statistics)
    }
}

extension SessionStatistics {
    static let shape = ObjectShape<SessionStatistics>("SessionStatistics") { it in
        it.object("session_stats") { it in
            it.member("active_sessions") { $0.activeSessions }
            it.member("idle_sessions") { $0.idleSessions }
            it.member("ended_sessions") { $0.endedSessions }
            it.member("waiting_sessions") { $0.waitingSessions }
            it.member("total_sessions") { $0.activeSessions + $0.idleSessions + $0.endedSessions }
            it.member("total_messages") { $0.totalMessages }
            it.member("total_tool_calls") { $0.totalToolCalls }
            it.member("total_tokens") { $0.tokens.shownTotal }
            it.member("total_cost") { $0.totalCost }
            it.member("models_in_use") { $0.modelsInUse }
        }
        it.member("active_claude_sessions") { $0.activeSessions }
        it.member("active_sessions") { $0.activeSessions }
        it.member("total_messages") { $0.totalMessages }
        it.member("total_tokens") { $0.tokens.shownTotal }
        it.member("total_cost") { $0.totalCost }
    }
}

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
            .choice("status", ["active", "idle", "ended", "all"], "In this status."), .machine, .project,
        ]

    var routes: [Route] {
        [
            Route(.get, "/v1/sessions", .read, handler: list)
                .described("Sessions, the latest active first.", SessionRoutes.filter, as: "SessionPage"),
            Route(.get, "/v1/sessions/stats", .read, handler: statistics)
                .described("Sums over all sessions.", as: "SessionStatistics"),
            Route(.get, "/v1/sessions/{id}", .read, handler: session).described("One session.", as: "Session"),
            Route(.delete, "/v1/sessions/{id}", .administer, handler: delete).described(
                "Takes a session from the lists. Its events stay, and its next one brings it back.",
                as: "DeletedSession"
            ),
            Route(.get, "/v1/sessions/{id}/events", .read, handler: events).described {
                EventRoutes.description($0, "A session's events, as a list or as a stream.")
            },
            Route(.get, "/v1/sessions/{id}/messages", .read, handler: messages)
                .described(
                    "A session's conversation: from its transcript, or prompts and answers from hooks.",
                    QueryParameter.log + [
                        .text("agent_id", "The conversation of this subagent."),
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
        query.cursor = try ActivityCursor(paging)
        query.offset = paging.offset
        query.status = try status(request.query["status"])
        query.machine = try await database.machineFilter(request.query)
        query.workspaceID = request.query["workspace_id"] ?? request.query["project_id"]
        let page = try await database.use { store throws(PersistenceError) in
            try await store.sessionsWithEvidence(query)
        }
        return ListAnswer(paging, request, at: now).response(
            "sessions",
            latest: page.sessions.map { ($0, now) },
            of: Session.shape,
            hasMore: page.hasMore,
            total: page.total,
            cursor: { ActivityCursor(lastActivityAt: $0.session.lastActivityAt, id: $0.session.id) }
        )
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

    @Sendable private func delete(_ request: RouteRequest) async throws(APIError) -> HTTPResponse {
        let id = request.parameters["id"] ?? ""
        let isKnown = try await database.use { store throws(PersistenceError) in
            try await store.deleteSession(id: id)
        }
        guard isKnown else { throw .sessionNotFound }
        return .json(SessionRoutes.deleted, id)
    }

    static let deleted = ObjectShape<String>("DeletedSession") { it in
        it.member("session_id") { $0 }
        it.constant("status", "deleted")
    }

    private func find(_ request: RouteRequest) async throws(APIError) -> Session {
        let session = try await database.sessionWithEvidence(id: request.parameters["id"] ?? "", now: clock())
        return session
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

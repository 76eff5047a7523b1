internal import EventModel
internal import HTTPModel
internal import JSON
internal import Sessions

/// `/v1/sessions`: what runs, what waits, what it did.
struct SessionRoutes: Sendable {
    let store: any EventStore
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
            Route(.get, "/v1/sessions/{id}/events", .read, handler: events).described {
                EventRoutes.description($0, "A session's events, as a list or as a stream.")
            },
            Route(.get, "/v1/sessions/{id}/messages", .read, handler: messages)
                .described("A session's prompts and answers.", QueryParameter.log, as: "MessagePage", faults: [409]),
        ]
    }

    @Sendable private func list(_ request: RouteRequest) async throws(APIError) -> HTTPResponse {
        let now = clock()
        let paging = try Paging(request.query, path: "/v1/sessions")
        var query = SessionQuery(now: now, limit: paging.limit ?? 50)
        query.cursor = try ActivityCursor(paging)
        query.offset = paging.offset
        query.status = try status(request.query["status"])
        query.machine = try await store.machineFilter(request.query)
        query.workspaceID = request.query["workspace_id"] ?? request.query["project_id"]
        let page = try await store.sessions(query)
        return ListAnswer(paging, request, at: now).response(
            "sessions",
            latest: page.sessions,
            hasMore: page.hasMore,
            total: page.total,
            cursor: { ActivityCursor(lastActivityAt: $0.lastActivityAt, id: $0.id) },
            write: { session, writer in session.write(to: &writer, now: now) }
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
        let session = try await find(request)
        var writer = JSONWriter(reserving: 1024)
        session.write(to: &writer, now: clock())
        return .json(writer.bytes)
    }

    @Sendable private func events(_ request: RouteRequest) async throws(APIError) -> HTTPResponse {
        let session = try await find(request)
        return try await EventListing(store: store, clock: clock).answer(request, sessionID: session.id)
    }

    @Sendable private func messages(_ request: RouteRequest) async throws(APIError) -> HTTPResponse {
        let session = try await find(request)
        return try await MessageListing(store: store, clock: clock).answer(request, sessionID: session.id)
    }

    private func find(_ request: RouteRequest) async throws(APIError) -> Session {
        guard let id = request.parameters["id"], let session = try await store.session(id: id) else {
            throw .notFound("session_not_found", "There is no session of that id.")
        }
        return session
    }

    @Sendable private func statistics(_ request: RouteRequest) async throws(APIError) -> HTTPResponse {
        let statistics = try await store.statistics(now: clock())
        var writer = JSONWriter(reserving: 512)
        writer.beginObject()
        writer.beginObject("session_stats")
        writer.field("active_sessions", statistics.activeSessions)
        writer.field("idle_sessions", statistics.idleSessions)
        writer.field("ended_sessions", statistics.endedSessions)
        writer.field("waiting_sessions", statistics.waitingSessions)
        writer.field("total_sessions", statistics.activeSessions + statistics.idleSessions + statistics.endedSessions)
        writer.field("total_messages", statistics.totalMessages)
        writer.field("total_tool_calls", statistics.totalToolCalls)
        writer.field("total_tokens", statistics.tokens.total)
        writer.field("total_cost", statistics.totalCost)
        writer.beginArray("models_in_use")
        for model in statistics.modelsInUse { writer.string(model) }
        writer.endArray()
        writer.endObject()
        writer.field("active_claude_sessions", statistics.activeSessions)
        writer.field("active_sessions", statistics.activeSessions)
        writer.field("total_messages", statistics.totalMessages)
        writer.field("total_tokens", statistics.tokens.total)
        writer.field("total_cost", statistics.totalCost)
        writer.endObject()
        return .json(writer.bytes)
    }
}

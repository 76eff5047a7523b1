internal import API
internal import EventModel
internal import HTTPModel
internal import JSON
internal import Sessions

/// `/v1/chat/completions/...`: the sessions of project chats, and what a request would do.
struct ProjectRoutes: Sendable {
    let chats: ProjectChats

    var routes: [Route] {
        [
            Route(.post, "/v1/chat/completions/debug", .control, handler: explain)
                .accepting(bytes: MessageImage.mostBody)
                .described(
                    "What a request for a project chat would do. Nothing is started.",
                    body: "ChatRequest",
                    as: "ChatDebug",
                    faults: [404, 409, 413]
                ),
            Route(.get, "/v1/chat/completions/{id}/status", .control, handler: status)
                .described("The session of a project chat.", as: "ChatStatus", faults: [404]),
            Route(.delete, "/v1/chat/completions/{id}", .control, handler: stop)
                .described(
                    "Ends the turn that runs in a session. The session stays.",
                    as: "ChatStop",
                    faults: [404, 409, 503]
                ),
        ]
    }

    @Sendable private func status(_ request: RouteRequest) async throws(APIError) -> HTTPResponse {
        let principal = try request.responder().principal
        let session = try await chats.session(request.parameters["id"] ?? "", for: principal)
        let model = session.currentModel ?? chats.ports.model(session.id, session.machine)
        return .json(ProjectRoutes.statusShape, (session, model, chats.isRunning(session)))
    }

    @Sendable private func stop(_ request: RouteRequest) async throws(APIError) -> HTTPResponse {
        let responder = try request.responder()
        let session = try await chats.session(request.parameters["id"] ?? "", for: responder.principal)
        try await chats.stop(session, by: responder)
        return .json(ProjectRoutes.stopShape, session.id)
    }

    @Sendable private func explain(_ request: RouteRequest) async throws(APIError) -> HTTPResponse {
        let principal = try request.responder().principal
        let plan = try await chats.plan(try ChatRequest.json(request.http.body), for: principal)
        return .json(ProjectPlan.shape, plan)
    }

    private typealias Status = (session: Session, model: String?, isRunning: Bool)

    private static let statusShape = ObjectShape<Status>("ChatStatus") { it in
        it.member("session_id") { $0.session.id }
        it.member("project_id") { $0.session.workspaceID }
        it.member("model") { $0.model }
        it.member("is_running") { $0.isRunning }
        it.member("created_at") { $0.session.startedAt }
        it.member("updated_at") { $0.session.lastActivityAt }
        it.member("total_tokens") { $0.session.tokenUsage.shownTotal }
        it.member("total_cost") { $0.session.totalCost }
        it.member("message_count") { $0.session.messageCount }
    }

    private static let stopShape = ObjectShape<String>("ChatStop") { it in
        it.member("session_id") { $0 }
        it.constant("status", "stopped")
    }

    static let schemas: [(SchemaName, String)] =
        statusShape.definitions + stopShape.definitions + ProjectPlan.shape.definitions
}

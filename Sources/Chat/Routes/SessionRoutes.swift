internal import API
internal import EventModel
internal import HTTPModel
internal import JSON
internal import Sessions

/// `/v1/chat/completions/...`: the sessions of chats, and what a request would do.
struct SessionRoutes: Sendable {
    let service: ChatService
    let projects: ProjectChats

    var routes: [Route] {
        [
            Route(.post, "/v1/chat/completions/debug", .either(.chat, .control), handler: explain)
                .accepting { $0.may(.control) ? MessageImage.mostBody : ChatRoutes.mostBytes }
                .described(
                    "What a request for a chat would do. Nothing is started.",
                    body: "ChatRequest",
                    as: "ChatDebug",
                    faults: [404, 409, 413, 429, 503]
                ),
            Route(.get, "/v1/chat/completions/{id}/status", .either(.chat, .control), handler: status)
                .described("The session of a chat.", as: "ChatStatus", faults: [404]),
            Route(.delete, "/v1/chat/completions/{id}", .either(.chat, .control), handler: stop)
                .described(
                    "Ends the turn that runs in a session. The session stays.",
                    as: "ChatStop",
                    faults: [404, 409, 503]
                ),
        ]
    }

    @Sendable private func status(_ request: RouteRequest) async throws(APIError) -> HTTPResponse {
        let principal = try request.responder().principal
        let id = request.parameters["id"] ?? ""
        if let chat = try await service.plainChat(id, for: principal) {
            return .json(SessionRoutes.statusShape, (chat.session, chat.session.currentModel, chat.isRunning))
        }
        let session = try await projects.session(id, for: principal)
        let model = session.currentModel ?? projects.ports.model(session.id, session.machine)
        return .json(SessionRoutes.statusShape, (session, model, projects.isRunning(session)))
    }

    @Sendable private func stop(_ request: RouteRequest) async throws(APIError) -> HTTPResponse {
        let responder = try request.responder()
        let id = request.parameters["id"] ?? ""
        if let chat = try await service.plainChat(id, for: responder.principal) {
            try await service.stop(chat)
        } else {
            try await projects.stop(try await projects.session(id, for: responder.principal), by: responder)
        }
        return .json(SessionRoutes.stopShape, id)
    }

    @Sendable private func explain(_ request: RouteRequest) async throws(APIError) -> HTTPResponse {
        let principal = try request.responder().principal
        let body = request.http.body
        let json = try ChatRequest.json(body)
        if ProjectRequest.isMeant(by: json) {
            return .json(ProjectPlan.shape, try await projects.plan(json, for: principal))
        }
        guard body.count <= ChatRoutes.mostBytes else { throw ChatRefusal.tooLarge(ChatRoutes.mostBytes) }
        return .json(PlainPlan.shape, try await service.plan(json, for: principal))
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
        statusShape.definitions + stopShape.definitions + ProjectPlan.shape.definitions + PlainPlan.shape.definitions
        + [("ChatDebug", JSONSchema.either([JSONSchema.one("ProjectChatDebug"), JSONSchema.one("PlainChatDebug")]))]
}

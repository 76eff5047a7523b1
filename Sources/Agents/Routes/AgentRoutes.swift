internal import API
internal import EventModel
internal import HTTPModel
internal import JSON
internal import Persistence
internal import Sessions

/// `POST /v1/sessions` and `DELETE /v1/sessions/{id}`, and what a session that an agent runs says of itself.
struct AgentRoutes: Sendable {
    let service: AgentService

    private static let hide = QueryParameter.choice(
        "hide",
        ["true", "false"],
        "Takes the session from the lists and ends nothing. Needs 'administer'. Its next event brings it back."
    )
    private static let leftovers = QueryParameter.choice(
        "kill_leftovers",
        ["true", "false"],
        "Also ends what the session's tools have left running."
    )

    var routes: [Route] {
        [
            Route(.post, "/v1/sessions", .control, handler: start)
                .accepting(bytes: MessageImage.mostBody)
                .described(
                    "Starts Claude Code on a machine whose agent is connected.",
                    body: "NewSession",
                    as: "Session",
                    status: 201,
                    faults: [404, 409, 413, 422, 429, 502, 503, 504]
                ),
            Route(.delete, "/v1/machines/{id}/agent", .administer, handler: forget)
                .described(
                    "Forgets the agent of a machine, so that another one can take its place.",
                    as: "ForgottenAgent",
                    faults: [404]
                ),
            Route(.delete, "/v1/sessions/{id}", .read, handler: delete)
                .described(
                    "Ends a session that an agent runs. Its events stay.",
                    [AgentRoutes.hide, AgentRoutes.leftovers],
                    as: "DeletedSession",
                    faults: [404, 409, 502, 503, 504]
                ),
            Route(.get, "/v1/sessions/{id}/context", .read, handler: context)
                .described(
                    "What fills the model's context in a session that an agent runs.",
                    as: "SessionContext",
                    faults: [404, 409, 502, 503, 504]
                ),
            Route(.post, "/v1/sessions/{id}/rewind", .control, handler: rewind)
                .described(
                    "Puts files, the conversation or both back to their state before a message.",
                    body: "NewRewind",
                    as: "SessionRewind",
                    faults: [404, 409, 502, 503, 504]
                ),
            Route(.get, "/v1/sessions/{id}/commands", .control, handler: commands)
                .described(
                    "The slash commands that a session takes with `as`.",
                    as: "SessionCommands",
                    faults: [404, 409, 502, 503, 504]
                ),
        ]
    }

    @Sendable private func context(_ request: RouteRequest) async throws(APIError) -> HTTPResponse {
        let id = request.parameters["id"] ?? ""
        let usage = try await service.context(of: id, by: try request.responder())
        return .json(SessionContext.shape, SessionContext(sessionID: id, usage))
    }

    @Sendable private func rewind(_ request: RouteRequest) async throws(APIError) -> HTTPResponse {
        let id = request.parameters["id"] ?? ""
        let rewind = try SessionRewind(body: try JSONValue(object: request.http.body))
        let result = try await service.rewind(rewind, of: id, by: try request.responder())
        return .json(SessionRewind.shape, SessionRewind.Done(sessionID: id, rewind, result))
    }

    @Sendable private func commands(_ request: RouteRequest) async throws(APIError) -> HTTPResponse {
        let commands = try await service.commands(of: request.parameters["id"] ?? "", by: try request.responder())
        return .json(SessionContext.commands, commands)
    }

    @Sendable private func start(_ request: RouteRequest) async throws(APIError) -> HTTPResponse {
        let start = try SessionStart(body: try JSONValue(object: request.http.body))
        let session = try await service.start(start, by: try request.responder())
        return .json(status: 201, Session.shape.json((session, service.clock())))
    }

    @Sendable private func forget(_ request: RouteRequest) async throws(APIError) -> HTTPResponse {
        let name = request.parameters["id"] ?? ""
        let machine = try await service.database.machine(named: name)
        guard let machine else { throw .notFound("machine_not_found", "There is no machine '\(name)'.") }
        let isKnown = try await service.database.use { store throws(PersistenceError) in
            try await store.forgetAgent(of: machine)
        }
        guard isKnown else { throw .notFound("agent_not_found", "The machine '\(name)' has no agent.") }
        return .json(AgentRoutes.forgotten, name)
    }

    fileprivate static let forgotten = ObjectShape<String>("ForgottenAgent") { it in
        it.member("machine_id") { $0 }
        it.constant("status", "forgotten")
    }

    @Sendable private func delete(_ request: RouteRequest) async throws(APIError) -> HTTPResponse {
        let id = request.parameters["id"] ?? ""
        let responder = try request.responder()
        if request.query["hide"] == "true" { return try await hide(id, responder) }
        let killsLeftovers = request.query["kill_leftovers"] == "true"
        let (session, leftRunning) = try await service.stop(id, killsLeftovers: killsLeftovers, by: responder)
        return .json(DeletedSession.shape, DeletedSession(id: session.id, word: "ended", leftRunning: leftRunning))
    }

    private func hide(_ id: String, _ responder: Responder) async throws(APIError) -> HTTPResponse {
        guard responder.principal.may(.administer) else {
            throw .insufficientScope(responder.principal.lacking(.administer))
        }
        let isKnown = try await service.database.use { store throws(PersistenceError) in
            try await store.deleteSession(id: id)
        }
        guard isKnown else { throw .sessionNotFound }
        return .json(DeletedSession.shape, DeletedSession(id: id, word: "deleted", leftRunning: []))
    }
}

private struct DeletedSession: Sendable {
    let id: String
    let word: String
    let leftRunning: [JSONValue]

    static let shape = ObjectShape<DeletedSession>("DeletedSession") { it in
        it.member("session_id") { $0.id }
        it.member("status", as: JSONSchema.words("ended", "deleted")) { $0.word }
        it.list("left_running", of: leftover) { $0.leftRunning }
    }

    private static let leftover = ObjectShape<JSONValue> { it in
        it.member("pid") { $0["pid"]?.integer }
        it.member("command") { $0["command"]?.string }
    }
}

extension AgentRoutes {
    static let schemas: [(SchemaName, String)] =
        [("NewSession", SessionStart.schema)] + DeletedSession.shape.definitions + forgotten.definitions
        + SessionContext.shape.definitions + SessionContext.commands.definitions
        + [("NewRewind", SessionRewind.schema)] + SessionRewind.shape.definitions
}

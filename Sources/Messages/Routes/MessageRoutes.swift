internal import API
internal import EventModel
internal import HTTPModel
internal import JSON

/// `/v1/sessions/{id}/input` and `/v1/sessions/{id}/interrupt` for people.
struct MessageRoutes: Sendable {
    let service: MessageService
    let clock: @Sendable () -> Timestamp

    var routes: [Route] {
        [
            Route(.post, "/v1/sessions/{id}/input", .respond, handler: send)
                .accepting(bytes: MessageImage.mostBody)
                .described(
                    "Sends a message to a session.",
                    body: "NewMessage",
                    as: "SessionMessage",
                    status: 202,
                    faults: [404, 409, 413]
                ),
            Route(.get, "/v1/sessions/{id}/input", .read, handler: list)
                .described(
                    "The messages to a session, at most the newest 200.",
                    QueryParameter.pages,
                    as: "SessionMessagePage",
                    faults: [404]
                ),
            Route(.delete, "/v1/sessions/{id}/input/{message}", .respond, handler: cancel)
                .described(
                    "Cancels a message that the session has not begun.",
                    as: "SessionMessage",
                    faults: [404, 409, 503, 504]
                ),
            Route(.post, "/v1/sessions/{id}/interrupt", .respond, handler: interrupt)
                .described {
                    $0.saying(
                        "Ends the session's turn at the next tool, or at once if an agent runs it.",
                        faults: [404, 409]
                    )
                    .takingOptional(body: "NewInterruption").answering(202, "application/json", "Interruption")
                },
        ]
    }

    @Sendable private func send(_ request: RouteRequest) async throws(APIError) -> HTTPResponse {
        let body = try JSONValue(object: request.http.body)
        guard let text = body["text"]?.string else {
            throw .invalid("missing_parameter", "'text' is missing.", param: "text")
        }
        var id: String?
        if let given = body["message_id"], given != .null {
            guard let uuid = given.string.flatMap(EventID.init) else {
                throw .invalid("invalid_parameter", "'message_id' must be a UUID.", param: "message_id")
            }
            id = uuid.description
        }
        let form = body["as"] ?? .null
        guard form == .null || form == .string("command") else {
            throw .invalid("invalid_parameter", "'as' can only be 'command'.", param: "as")
        }
        let images = try MessageImage.list(of: body)
        guard images.isEmpty || form == .null else {
            throw .invalid("invalid_parameter", "A command has no pictures.", param: "images")
        }
        let message = try await service.send(
            text,
            id: id,
            isCommand: form != .null,
            images: images,
            to: request.parameters["id"] ?? "",
            by: try request.responder()
        )
        return .json(status: 202, SessionMessage.shape.json(message))
    }

    @Sendable private func list(_ request: RouteRequest) async throws(APIError) -> HTTPResponse {
        let paging = try Paging(request.query, path: request.http.path, .whole)
        let messages = try await service.messages(of: request.parameters["id"] ?? "", for: try request.responder())
        return ListAnswer(paging, request, at: clock()).response("messages", whole: messages, of: SessionMessage.shape)
    }

    @Sendable private func cancel(_ request: RouteRequest) async throws(APIError) -> HTTPResponse {
        let message = try await service.cancel(
            request.parameters["message"] ?? "",
            of: request.parameters["id"] ?? "",
            by: try request.responder()
        )
        return .json(SessionMessage.shape, message)
    }

    @Sendable private func interrupt(_ request: RouteRequest) async throws(APIError) -> HTTPResponse {
        let (id, responder) = (request.parameters["id"] ?? "", try request.responder())
        let body = request.http.body.isEmpty ? JSONValue.object([]) : try JSONValue(object: request.http.body)
        let flag = body["cancel_queued"] ?? .null
        guard flag == .null || flag.bool != nil else {
            throw .invalid("invalid_parameter", "'cancel_queued' must be true or false.", param: "cancel_queued")
        }
        let applied: MessageService.Interruption
        if flag.bool == true {
            applied = try await service.interruptAndCancel(id, by: responder)
        } else {
            applied = (try await service.interrupt(id, by: responder), [])
        }
        return .json(status: 202, MessageRoutes.interruption.json(applied))
    }

    /// An interruption, with the ids of the messages that were taken back with it.
    static let interruption = ObjectShape<MessageService.Interruption>(
        "Interruption",
        extending: SessionMessage.shape,
        { $0.message }
    ) { it in
        it.member("cancelled") { $0.cancelled }
    }
}

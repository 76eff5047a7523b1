internal import API
internal import EventModel
internal import HTTPModel
internal import JSON

/// `POST /v1/chat/completions`: chats as OpenAI's clients have them.
struct ChatRoutes: Sendable {
    let service: ChatService
    let projects: ProjectChats

    /// Seconds for which a request waits for a whole answer.
    static let waitSeconds = 590.0
    /// Seconds for which a stream waits for its first text, because errors before it have a status of their own.
    private static let openingSeconds = 5.0
    private static let heartbeatSeconds = 15.0
    /// An agent takes no longer messages.
    static let mostBytes = 900 << 10

    var routes: [Route] {
        [
            Route(.post, "/v1/chat/completions", .either(.chat, .control), handler: complete)
                // A long body is not even read for who may only have plain chats.
                .accepting { $0.may(.control) ? MessageImage.mostBody : ChatRoutes.mostBytes }
                .waitingForModel()
                .described(
                    "Has the model of a machine answer, as OpenAI's chat completions.",
                    body: "ChatRequest",
                    as: "ChatCompletion",
                    faults: [404, 409, 413, 422, 429, 502, 503]
                )
        ]
    }

    @Sendable private func complete(_ request: RouteRequest) async throws(APIError) -> HTTPResponse {
        guard let principal = request.principal else { throw .sessionNotFound }
        let http = request.http
        let call = try ChatRoutes.call(http, http.body)
        let json = try ChatRequest.json(http.body)
        let chat: ChatRequest
        let observer: ChatObserver
        if ProjectRequest.isMeant(by: json) {
            chat = try ProjectRequest(json).chat
            observer = try await projects.run(json, call, by: principal)
        } else {
            guard principal.may(.chat) else { throw .insufficientScope(principal.lacking(.chat)) }
            guard http.body.count <= ChatRoutes.mostBytes else { throw ChatRefusal.tooLarge(ChatRoutes.mostBytes) }
            chat = try ChatRequest(json, passesSampling: service.settings.passesSampling)
            observer = try await service.run(chat, call, by: principal)
        }
        var response =
            chat.isStream
            ? try await ChatRoutes.stream(observer, observer.run.answer) : try await ChatRoutes.whole(observer)
        ChatRoutes.addHeaders(to: &response, observer.run.answer.session, ignored: chat.ignored)
        return response
    }

    static func addHeaders(to response: inout HTTPResponse, _ session: ChatAnswerSession?, ignored: [String]) {
        if let session {
            response.headers.append(("x-session-id", session.id))
            if let project = session.projectID { response.headers.append(("x-project-id", project)) }
        }
        guard !ignored.isEmpty else { return }
        response.headers.append(("x-ignored-parameters", ignored.joined(separator: ", ")))
    }

    /// - Parameter body: by which a repeat is known.
    static func call(_ http: HTTPRequest, _ body: [UInt8]) throws(APIError) -> ChatService.Call {
        ChatService.Call(
            body: body,
            idempotencyKey: try http.idempotencyKey(),
            isRepeat: (http.headers["x-stainless-retry-count"].flatMap { Int($0) } ?? 0) > 0
        )
    }

    private static func whole(_ observer: ChatObserver) async throws(APIError) -> HTTPResponse {
        let run = observer.run
        guard let result = try await result(observer) else { return HTTPResponse(status: 204) }
        var answer = run.answer
        answer.model = run.model ?? answer.model
        return .json(answer.whole(run.text, result, run.pieces))
    }

    /// Returns `nil` if the client has gone, or has been answered.
    static func result(_ observer: ChatObserver) async throws(APIError) -> ChatResult? {
        var outcome: ChatOutcome?
        while outcome == nil, !Task.isCancelled {
            outcome = try await observer.news(after: .max, seconds: ChatRoutes.waitSeconds).outcome
        }
        switch outcome {
        case .finished(let result)?: return result
        case .failed(let error)?: throw error
        case nil: return nil
        }
    }

    /// - Parameter answer: writes what is new.
    static func stream(
        _ observer: ChatObserver,
        _ answer: some ChatStreamAnswer
    ) async throws(APIError) -> HTTPResponse {
        let first = try await observer.news(after: 0, seconds: openingSeconds)
        if case .failed(let error)? = first.outcome, first.seen == 0 { throw error }
        var response = HTTPResponse(
            status: 200,
            headers: [
                ("content-type", "text/event-stream; charset=utf-8"), ("cache-control", "no-cache"),
                ("x-accel-buffering", "no"),
            ],
            // The opening names the model, which may not be known yet.
            body: first.isEmpty ? ChatAnswer.heartbeat : []
        )
        response.stream = { writer in
            var seen = 0
            var answer = answer
            while !Task.isCancelled {
                let news: ChatRun.News
                do throws(APIError) {
                    news = try await observer.news(after: seen, seconds: heartbeatSeconds)
                } catch {
                    let end = ChatRun.News(pieces: [], outcome: .failed(error), seen: seen)
                    return try await writer.write(answer.write(end))
                }
                seen = news.seen
                let bytes = answer.write(news)
                try await writer.write(bytes.isEmpty ? ChatAnswer.heartbeat : bytes)
                guard news.outcome == nil else { return }
            }
        }
        return response
    }

    static let schemas: [(SchemaName, String)] = [
        ("ChatRequest", JSONSchema.object(["messages": JSONSchema.array(JSONSchema.any)])),
        (
            "ChatCompletion",
            JSONSchema.object([
                "id": JSONSchema.text, "object": JSONSchema.words("chat.completion"), "created": JSONSchema.count,
                "model": JSONSchema.text, "choices": JSONSchema.array(JSONSchema.any), "usage?": JSONSchema.any,
                "session_id": JSONSchema.text, "project_id?": JSONSchema.nullable(JSONSchema.text),
                "monitor?": JSONSchema.any,
            ])
        ),
    ]
}

extension Route {
    /// The handler may wait until a model has answered.
    func waitingForModel() -> Route {
        waiting { request in
            let overdue = ChatRefusal.running.response(requestID: request.http.requestID)
            return AnswerWait(seconds: ChatRoutes.waitSeconds, overdue: overdue)
        }
    }
}

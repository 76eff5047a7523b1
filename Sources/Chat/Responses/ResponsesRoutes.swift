internal import API
internal import EventModel
internal import HTTPModel
internal import JSON

/// `POST /v1/responses`: plain chats in the form of OpenAI's Responses API.
struct ResponsesRoutes: Sendable {
    let service: ChatService

    var routes: [Route] {
        [
            Route(.post, "/v1/responses", .needs(.chat), handler: create)
                .accepting(bytes: ChatRoutes.mostBytes)
                .waitingForModel()
                .described(
                    "Has the model of a machine answer, as OpenAI's responses.",
                    body: "ResponseRequest",
                    as: "ModelResponse",
                    faults: [404, 409, 413, 422, 429, 502, 503]
                )
        ]
    }

    @Sendable private func create(_ request: RouteRequest) async throws(APIError) -> HTTPResponse {
        guard let principal = request.principal else { throw .sessionNotFound }
        guard request.http.body.count <= ChatRoutes.mostBytes else { throw ChatRefusal.tooLarge(ChatRoutes.mostBytes) }
        let asked = try ResponsesRequest(try ChatRequest.json(request.http.body))
        var writer = JSONWriter(reserving: request.http.body.count + 256)
        writer.value(asked.chat)
        let chat: ChatRequest
        let observer: ChatObserver
        do throws(APIError) {
            chat = try ChatRequest(asked.chat, passesSampling: service.settings.passesSampling)
            observer = try await service.run(chat, try ChatRoutes.call(request.http, writer.bytes), by: principal)
        } catch {
            throw error.ofResponses
        }
        let answer = ResponsesAnswer(observer.run.answer, asked, chat.sampling)
        var response = chat.isStream ? try await ChatRoutes.stream(observer, answer) : try await whole(observer, answer)
        ChatRoutes.addHeaders(to: &response, observer.run.answer.session, ignored: chat.ignored)
        return response
    }

    private func whole(_ observer: ChatObserver, _ answer: ResponsesAnswer) async throws(APIError) -> HTTPResponse {
        guard let result = try await ChatRoutes.result(observer) else { return HTTPResponse(status: 204) }
        return .json(answer.whole(observer.run.text, result))
    }

    static let schemas: [(SchemaName, String)] = [
        ("ResponseRequest", JSONSchema.object(["input": JSONSchema.any])),
        (
            "ModelResponse",
            JSONSchema.object([
                "id": JSONSchema.text, "object": JSONSchema.words("response"), "created_at": JSONSchema.count,
                "status": JSONSchema.words("completed", "incomplete"), "model": JSONSchema.text,
                "output": JSONSchema.array(JSONSchema.any), "usage?": JSONSchema.any,
            ])
        ),
    ]
}

internal import API
internal import HTTPModel
internal import JSON
internal import Sessions

/// `/v1/prompts/{id}/answer` and `/v1/prompts/{id}/seen`.
struct AnswerRoutes: Sendable {
    let service: AnswerService

    private static let maximumDepth = 100

    var routes: [Route] {
        [
            Route(.post, "/v1/prompts/{id}/answer", .respond, handler: answer)
                .described("Answers a prompt.", body: "NewAnswer", as: "AnsweredPrompt", faults: [404, 409, 410, 422]),
            Route(.post, "/v1/prompts/{id}/action", .open, handler: act)
                .described(
                    "Answers a prompt from a push, with the capability that the push carries and no other credential.",
                    body: "PushAction",
                    as: "PushActionTaken",
                    faults: [404, 409, 410, 422]
                ),
            Route(.post, "/v1/prompts/{id}/seen", .read, handler: seen)
                .described {
                    $0.saying("Tells that a device shows the prompt.", faults: [404]).answering(204, "application/json")
                },
        ]
    }

    @Sendable private func answer(_ request: RouteRequest) async throws(APIError) -> HTTPResponse {
        let body = try JSONValue(object: request.http.body, maxDepth: AnswerRoutes.maximumDepth)
        let prompt = try await service.answer(request.parameters["id"] ?? "", body, by: try request.responder())
        return .json(AnswerRoutes.shape, prompt)
    }

    /// The response contains no more than the push did.
    @Sendable private func act(_ request: RouteRequest) async throws(APIError) -> HTTPResponse {
        guard let body = try? JSONValue.parse(request.http.body, maxDepth: 4),
            let capability = body["capability"]?.string
        else { throw .invalid("missing_parameter", "'capability' is missing.", param: "capability") }
        let prompt = try await service.act(on: request.parameters["id"] ?? "", with: capability)
        return .json(AnswerRoutes.taken, prompt)
    }

    @Sendable private func seen(_ request: RouteRequest) async throws(APIError) -> HTTPResponse {
        try await service.seen(request.parameters["id"] ?? "", by: try request.responder())
        return HTTPResponse(status: 204)
    }

    static let taken = ObjectShape<PromptRecord>("PushActionTaken") { it in
        it.member("id") { $0.prompt.id }
        it.word("state") { $0.prompt.state }
        it.word("decision") { $0.prompt.decision }
    }

    static let shape = ObjectShape<PromptRecord>("AnsweredPrompt") { it in
        it.object("prompt", PromptRecord.shape) { $0 }
    }
}

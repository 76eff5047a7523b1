internal import API
internal import HTTPModel
internal import JSON
internal import Sessions

/// `GET /v1/prompts/{id}`.
struct OnePromptRoute: Sendable {
    let reader: PromptReader
    let answers: AnswerService

    private static let reveal = QueryParameter.choice(
        "reveal",
        ["true", "false"],
        "With nothing masked, while a hook waits. Needs respond, and is recorded."
    )

    var routes: [Route] {
        [
            Route(.get, "/v1/prompts/{id}", .read, handler: prompt)
                .described("One prompt.", [OnePromptRoute.reveal], as: "Prompt", faults: [404, 409])
        ]
    }

    @Sendable private func prompt(_ request: RouteRequest) async throws(APIError) -> HTTPResponse {
        let id = request.parameters["id"] ?? ""
        switch request.query["reveal"] {
        case nil, "false": return .json(PromptRecord.shape, try await reader.prompt(id))
        case "true": return .json(PromptRecord.shape, try await answers.reveal(id, to: try request.responder()))
        default: throw .invalid("invalid_parameter", "'reveal' must be true or false.", param: "reveal")
        }
    }
}

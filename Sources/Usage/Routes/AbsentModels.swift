internal import API
package import HTTPModel

/// The paths at which clients of OpenAI's API call a model. This server does not run models yet. The error says so in
/// the shape that such clients read.
package enum AbsentModels {
    private static let paths: Set<String> = [
        "/v1/chat/completions", "/v1/completions", "/v1/responses", "/v1/embeddings",
    ]

    /// The error for a path without a route. 404, because clients repeat a request after 5xx.
    package static func notFound(_ path: String) -> APIError {
        guard paths.contains(path) || path.hasPrefix("/v1/chat/completions/") else {
            return .notFound("not_found", "There is nothing at this path.")
        }
        return APIError(
            .invalidRequest,
            status: 404,
            code: "models_not_run",
            message: "This server does not run models yet. It monitors Claude Code; GET /v1/models describes models."
        )
    }
}

internal import API
package import HTTPModel

/// The paths at which clients of OpenAI's API call a model. This server has chat completions and responses only. The
/// error says so in the shape that such clients read.
package enum AbsentModels {
    private static let paths: Set<String> = [
        "/v1/completions", "/v1/embeddings",
    ]

    /// The error for a path without a route. 404, because clients repeat a request after 5xx.
    package static func notFound(_ path: String) -> APIError {
        guard
            paths.contains(path) || path.hasPrefix("/v1/chat/completions/")
                || path.hasPrefix("/v1/responses/")
        else {
            return .notFound("not_found", "There is nothing at this path.")
        }
        return APIError(
            .invalidRequest,
            status: 404,
            code: "models_not_run",
            message: "This server has no such interface to models: POST /v1/chat/completions has one."
        )
    }
}

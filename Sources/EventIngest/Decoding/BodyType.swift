internal import HTTPModel

/// How a body contains events.
enum BodyType {
    case json
    /// One JSON text per line.
    case lines

    static let unsupported = APIError(
        .invalidRequest,
        status: 415,
        code: "unsupported_content_type",
        message: "the content type has to be application/json or, for events, application/x-ndjson"
    )

    /// Ignores parameters such as `charset`. Treats generic types, such as curl's default, as JSON.
    init(contentType: String?) throws(APIError) {
        guard let contentType, contentType != "application/json" else {
            self = .json
            return
        }
        let type = contentType.prefix { $0 != ";" }.filter { $0 != " " && $0 != "\t" }.lowercased()
        switch type {
        case "", "application/json", "text/json", "text/plain", "application/octet-stream",
            "application/x-www-form-urlencoded":
            self = .json
        case "application/x-ndjson", "application/ndjson", "application/jsonl", "application/x-jsonlines": self = .lines
        default: throw BodyType.unsupported
        }
    }
}

extension APIError {
    static func tooManyEvents(limit: Int) -> APIError {
        APIError(
            .invalidRequest,
            status: 413,
            code: "too_many_events",
            message: "a request may hold at most \(limit) events"
        )
    }

    static var emptyBatch: APIError { .invalid("empty_batch", "the request holds no event") }
}

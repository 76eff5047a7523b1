internal import JSON

/// An error as clients see it. Every part is safe to show: it contains no secret, no SQL query and no stack trace.
public struct APIError: Error, Sendable, Equatable {
    public enum Kind: String, Sendable {
        case invalidRequest = "invalid_request_error"
        case authentication = "authentication_error"
        case permission = "permission_error"
        case notFound = "not_found_error"
        case conflict = "conflict_error"
        case rateLimit = "rate_limit_error"
        case internalError = "internal_server_error"
        case unavailable = "service_unavailable"
    }

    public var kind: Kind
    /// HTTP status.
    public var status: Int
    /// A stable word for programs.
    public var code: String
    public var message: String
    /// The parameter at fault, if there is one.
    public var param: String?
    /// Seconds after which a retry makes sense, or `nil` if a retry of the same request cannot help.
    public var retryAfter: Int?
    /// The methods that the path accepts. For 405 only.
    public var allowed: [HTTPMethod] = []
    /// Further headers of the answer.
    public var headers: [String: String] = [:]

    public init(
        _ kind: Kind,
        status: Int,
        code: String,
        message: String,
        param: String? = nil,
        retryAfter: Int? = nil
    ) {
        self.kind = kind
        self.status = status
        self.code = code
        self.message = message
        self.param = param
        self.retryAfter = retryAfter
    }

    public static func invalid(_ code: String, _ message: String, param: String? = nil) -> APIError {
        APIError(.invalidRequest, status: 400, code: code, message: message, param: param)
    }

    /// The credential is valid but lacks a capability, which the message names.
    public static func insufficientScope(_ message: String, param: String? = nil) -> APIError {
        APIError(.permission, status: 403, code: "insufficient_scope", message: message, param: param)
    }

    public static func notFound(_ code: String, _ message: String) -> APIError {
        APIError(.notFound, status: 404, code: code, message: message)
    }

    public static let sessionNotFound = notFound("session_not_found", "There is no session of that id.")

    public static func unavailable(_ code: String, _ message: String, retryAfter: Int) -> APIError {
        APIError(.unavailable, status: 503, code: code, message: message, retryAfter: retryAfter)
    }

    public static func databaseUnavailable(retryAfter: Int) -> APIError {
        .unavailable(
            "database_unavailable",
            "The database cannot be reached now. Nothing was stored; try again.",
            retryAfter: retryAfter
        )
    }

    public static let unstorable = APIError.invalid("unstorable", "The database cannot store this.")

    public static func methodNotAllowed(_ allowed: [HTTPMethod]) -> APIError {
        let names = allowed.map(\.rawValue).joined(separator: ", ")
        var error = APIError(
            .invalidRequest,
            status: 405,
            code: "method_not_allowed",
            message: "This path takes \(names)."
        )
        error.allowed = allowed
        return error
    }

    /// The envelope `{"error":{...}}`, the same for every error.
    public func response(requestID: String) -> HTTPResponse {
        var writer = JSONWriter()
        writer.beginObject()
        writer.beginObject("error")
        writer.field("type", kind.rawValue)
        writer.field("code", code)
        writer.field("message", message)
        if let param { writer.field("param", param) } else { writer.null("param") }
        writer.field("status", status)
        writer.field("request_id", requestID)
        if let retryAfter { writer.field("retry_after", retryAfter) }
        writer.endObject()
        writer.endObject()
        var response = HTTPResponse.json(status: status, writer.bytes)
        if let retryAfter { response.headers.append(("retry-after", String(retryAfter))) }
        if status == 401 { response.headers.append(("www-authenticate", "Bearer")) }
        if !allowed.isEmpty {
            response.headers.append(("allow", allowed.map(\.rawValue).joined(separator: ", ")))
        }
        for (name, value) in headers.sorted(by: { $0.key < $1.key }) { response.headers.append((name, value)) }
        return response
    }
}

package import HTTPModel
package import JSON

/// The errors of the tool router, in the form that Composio's clients read.
package enum RouterFault {
    /// The number and the slug of an error, by this server's code for it.
    private static let known: [String: (code: Int, slug: String)] = [
        "no_active_connection": (4302, "ToolRouterV2_NoActiveConnection"),
        "no_managed_auth": (4308, "ToolRouterV2_NoManagedAuth"),
        "toolkit_needs_no_login": (4326, "ToolRouterV2_ToolkitsIsNoAuth"),
    ]

    private static let words = [
        401: "HTTP_Unauthorized", 403: "HTTP_Forbidden", 404: "HTTP_NotFound", 409: "HTTP_Conflict",
        413: "HTTP_PayloadTooLarge", 429: "HTTP_TooManyRequests", 503: "HTTP_ServiceUnavailable",
    ]

    package static func badRequest(_ message: String, param: String? = nil) -> APIError {
        .invalid("invalid_parameter", message, param: param)
    }

    /// The user has not connected the toolkit.
    package static func noConnection(_ toolkit: String) -> APIError {
        .invalid(
            "no_active_connection",
            "No connected account of this user for the toolkit '\(toolkit)'. Make a link for it first.",
            param: toolkit
        )
    }

    /// The toolkit has a login, but programs cannot begin it.
    package static func noManagedAuth(_ toolkit: String) -> APIError {
        .invalid("no_managed_auth", "The toolkit '\(toolkit)' has no login that a link can begin.", param: toolkit)
    }

    package static func noLogin(_ toolkit: String) -> APIError {
        .invalid("toolkit_needs_no_login", "The toolkit '\(toolkit)' needs no login.", param: toolkit)
    }

    package static let unknownSession = APIError.notFound(
        "session_not_found",
        "There is no session of that id. A session belongs to the key that created it."
    )

    package static func unknownTool(_ slug: String) -> APIError {
        .notFound("tool_not_found", "There is no tool '\(shown(slug))' here that the key may run.")
    }

    package static func unknownToolkit(_ slug: String) -> APIError {
        .notFound("toolkit_not_found", "There is no toolkit '\(shown(slug))' here that the key may use.")
    }

    /// - Parameter text: the caller's own.
    package static func shown(_ text: String) -> String {
        String(text.unicodeScalars.prefix(80).filter { $0.properties.generalCategory != .control }.map(Character.init))
    }

    // MARK: The form

    /// The paths whose errors have this form.
    package static let prefixes = ["/api/v3/", "/api/v3.1/"]

    /// Rewrites an error that has the form of the other routes. Other answers stay as they are.
    package static func response(_ response: HTTPResponse, requestID: String) -> HTTPResponse {
        guard response.status >= 400, let error = (try? JSONValue.parse(response.body))?["error"], error.isObject else {
            return response
        }
        let word = error["code"]?.string ?? ""
        let plain = response.status == 400 ? (4300, "ToolRouterV2_BadRequest") : nil
        let (code, slug) =
            known[word] ?? plain ?? (10_000 + response.status, words[response.status] ?? "HTTP_InternalServerError")
        var writer = JSONWriter()
        writer.beginObject()
        writer.beginObject("error")
        writer.field("message", error["message"]?.string ?? "")
        writer.field("code", code)
        writer.field("slug", slug)
        writer.field("status", response.status)
        writer.field("request_id", requestID)
        if let fix = fix(word, error["param"]?.string) { writer.field("suggested_fix", fix) }
        writer.strings("errors", error["param"]?.string.map { [$0] } ?? [])
        writer.field("reason", word)
        if let seconds = error["retry_after"] { writer.field("retry_after", seconds) }
        writer.endObject()
        writer.endObject()
        var response = response
        response.body = writer.bytes
        return response
    }

    package static let schema: (SchemaName, String) = (
        "RouterFailure",
        JSONSchema.object([
            "error": JSONSchema.object([
                "message": JSONSchema.text, "code": JSONSchema.count, "slug": JSONSchema.text,
                "status": JSONSchema.count, "request_id": JSONSchema.text, "suggested_fix?": JSONSchema.text,
                "errors": JSONSchema.texts, "reason": JSONSchema.text, "retry_after?": JSONSchema.count,
            ])
        ])
    )

    private static func fix(_ word: String, _ param: String?) -> String? {
        switch word {
        case "no_active_connection":
            "Make a link: POST /tool_router/session/{id}/link with {\"toolkit\":\"\(param ?? "")\"}."
        case "insufficient_scope": "Make a key that may: monitorctl apikey create NAME --may tools"
        case "missing_api_key", "invalid_api_key": "Send an API key of this server in the header x-api-key."
        default: nil
        }
    }
}

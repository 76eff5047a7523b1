internal import HTTPModel
internal import JSON

/// How a call ended. Pure: what the agent answers goes in, and what is stored and told comes out.
struct ToolCallOutcome: Sendable {
    var state: ToolCall.State
    /// `nil` if the tool has answered.
    var error: APIError?
    /// An object with `content`, `structuredContent` and `isError`.
    var result: JSONValue?
    var bytes: Int64?

    init(result: JSONValue, bytes: Int64) {
        (state, self.result, self.bytes) = (.completed, result, bytes)
    }

    /// The call was not made: the machine's agent did not say that a person has approved it.
    init(unapproved error: APIError) {
        switch error.code {
        case "denied_by_person": (state, self.error) = (.denied, error)
        case "approval_expired": (state, self.error) = (.expired, error)
        // The agent drops what it asks about when the connection ends, and was not told to make the call.
        case "agent_timeout": (state, self.error) = (.expired, ToolCallRefusal.expired)
        case "agent_unavailable", "database_unavailable":
            var error = error
            error.message += " The tool did not run."
            (state, self.error) = (.expired, error)
        default: (state, self.error) = (.refused, error)
        }
    }

    /// The agent was told to make the call.
    init(unfinished error: APIError) {
        switch error.code {
        case "denied_by_machine", "not_allowed_by_machine", "untrusted_directory", "outside_roots", "tool_changed",
            "tool_not_found", "ambiguous_tool", "mcp_server_not_found", "mcp_server_failed", "mcp_server_changed",
            "needs_wider_scope", "not_shared", "needs_login":
            (state, self.error) = (.refused, error)
        case "approval_expired": (state, self.error) = (.expired, error)
        default: (state, self.error) = (.unknown, ToolCallRefusal.unknown(error))
        }
    }

    /// What the call has shown of the tool's server: its state and why. `nil` if nothing: that it is not connected
    /// is told as an error like those of tools.
    var stateOfServer: (state: String, reason: String?)? {
        if state == .completed { return isError == false ? ("connected", nil) : nil }
        guard let error, error.code == "mcp_server_failed" else { return nil }
        return ("failed", PlainText.lines(error.message, atMost: 300))
    }

    var isError: Bool? { result.map { $0["isError"]?.bool ?? false } }
}

/// The errors of calls.
enum ToolCallRefusal {
    static let expired = APIError(
        .permission,
        status: 403,
        code: "approval_expired",
        message: "Nobody approved the call in time. The tool did not run."
    )

    static func unknown(_ error: APIError) -> APIError {
        APIError(
            .internalError,
            status: 502,
            code: "outcome_unknown",
            message: "It is unknown whether the tool ran, and it is not run again: \(error.message)"
        )
    }

    static let changed = APIError(
        .conflict,
        status: 409,
        code: "tool_changed",
        message: "The server defines the tool otherwise than before. A person must accept that first."
    )

    static let changedServer = APIError(
        .conflict,
        status: 409,
        code: "mcp_server_changed",
        message: "The MCP server was changed after the call was approved. The tool did not run."
    )

    static let ambiguous = APIError(
        .conflict,
        status: 409,
        code: "ambiguous_tool",
        message: "Several tools have this name. Name the server by its id: SERVER_ID.TOOL."
    )

    /// - Parameter candidates: by which the caller can name the one that is meant.
    static func ambiguous(among candidates: [String]) -> APIError {
        var error = ambiguous
        error.message += " Candidates: " + candidates.prefix(20).joined(separator: ", ")
        return error
    }

    static let unknownMachine = APIError.notFound("machine_not_found", "There is no machine of that name.")

    static func forbidden(_ reason: String) -> APIError {
        APIError(.permission, status: 403, code: "not_allowed_by_policy", message: reason)
    }

    static let placeless = APIError.invalid(
        "missing_parameter",
        "The server belongs to the whole machine. Name the project in whose directory the tool runs: 'project_id'.",
        param: "project_id"
    )

    static let unknownTool = APIError.notFound("tool_not_found", "No MCP server there has a tool of that name.")

    static let tooMany = APIError(
        .rateLimit,
        status: 429,
        code: "too_many_calls",
        message: "Too many calls wait or run.",
        retryAfter: 10
    )

    static let unapproved = APIError(
        .permission,
        status: 403,
        code: "approval_expired",
        message: "No person has approved the call. The tool did not run."
    )

    static let revoked = APIError(
        .permission,
        status: 403,
        code: "insufficient_scope",
        message: "The caller may no longer run tools of this machine. The tool did not run."
    )

    /// Another call of the same caller has the idempotency key.
    static let keyTaken = APIError(
        .conflict,
        status: 409,
        code: "already_running",
        message: "Another request with this idempotency key is being taken.",
        retryAfter: 1
    )

    /// The result was not stored, or not for so long.
    static let resultGone = APIError(
        .conflict,
        status: 409,
        code: "result_gone",
        message: "The tool has run. Its result is no longer here, and it is not run again."
    )

    static let unknownCall = APIError.notFound("tool_call_not_found", "There is no call of that id.")
}

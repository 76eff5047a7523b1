package import HTTPModel
internal import JSON
package import RPC

/// The errors of commands to agents.
package enum AgentRefusal {
    /// The statuses of the reasons that agents give. Other reasons are 409.
    private static let statuses = [
        "not_allowed_by_machine": 403, "outside_roots": 403, "mode_not_allowed": 403, "untrusted_directory": 422,
        "too_many_sessions": 429, "too_many_chats": 429, "already_running": 409, "start_failed": 502,
        "session_not_running": 409, "insufficient_quota": 429,
        "unfit_answer": 422, "session_busy": 409, "cannot_rewind": 409, "file_not_found": 404, "file_too_large": 413,
        "secret_file": 403, "wrong_file_kind": 422, "changed_meanwhile": 409, "too_many_commands": 429,
        "not_a_git_repo": 422, "git_failed": 422, "git_conflict": 409, "repository_busy": 409, "git_timeout": 504,
        "git_not_found": 404, "mcp_server_not_found": 400, "tool_not_found": 400, "git_unavailable": 503,
        "denied_by_person": 403, "denied_by_machine": 403, "approval_expired": 403, "ambiguous_tool": 409,
        "tool_changed": 409, "claude_outdated": 409, "outcome_unknown": 502,
        "mcp_server_failed": 502,
    ]

    /// Whether the machine has refused a command, or would.
    package static func isOfMachine(_ error: APIError) -> Bool { statuses[error.code] != nil }

    /// Whether the agent is away or silent.
    static func isAbsence(_ error: APIError) -> Bool {
        error.code == "agent_unavailable" || error.code == "agent_timeout"
    }

    /// An agent's own words, which are shown to people. An agent never puts a secret into them.
    package static func error(_ error: RPCError) -> APIError {
        guard error.code == -32005, let reason = error.data?["reason"]?.string else {
            guard error.code != -32601 else { return outdated }
            let isFault = error.code == -32602
            return APIError(
                isFault ? .invalidRequest : .internalError,
                status: isFault ? 422 : 502,
                code: isFault ? "invalid_parameter" : "agent_failed",
                message: "The machine's agent refused: \(error.message)"
            )
        }
        // Sent again, it may succeed.
        if reason == "upload_lost" { return .unavailable(reason, error.message, retryAfter: 2) }
        let status = statuses[reason] ?? 409
        return APIError(kind(status), status: status, code: reason, message: error.message)
    }

    private static func kind(_ status: Int) -> APIError.Kind {
        switch status {
        case 403: .permission
        case 404: .notFound
        case 409: .conflict
        case 429: .rateLimit
        case 502: .internalError
        case 503, 504: .unavailable
        default: .invalidRequest
        }
    }

    package static func unavailable(_ machine: String) -> APIError {
        .unavailable(
            "agent_unavailable",
            "The agent of \(machine) is not connected. Start it there: monitor-agent run",
            retryAfter: 5
        )
    }

    static let outdated = APIError(
        .internalError,
        status: 502,
        code: "agent_outdated",
        message: "The machine's agent is older than this server and does not know the command. Update it there."
    )

    static let tooLong = APIError(
        .invalidRequest,
        status: 413,
        code: "body_too_large",
        message:
            "The request is too long for the machine's agent, which takes 1 MiB as JSON. Some characters take 6 bytes."
    )

    static let malformed = APIError(
        .internalError,
        status: 502,
        code: "agent_failed",
        message: "The machine's agent answered with something that is not an answer."
    )

    static let silent = APIError(
        .unavailable,
        status: 504,
        code: "agent_timeout",
        message: "The machine's agent did not answer in time. It is unknown whether it carried the command out.",
        retryAfter: 5
    )
}

extension AgentService {
    static let alreadyRunning = APIError(
        .conflict,
        status: 409,
        code: "already_running",
        message: "The machine's agent runs this session already: send it a message."
    )

    static let notOurs = APIError(
        .conflict,
        status: 409,
        code: "not_ours",
        message: "A terminal or another program runs this session. It ends there."
    )
}

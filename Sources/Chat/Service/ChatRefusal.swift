internal import HTTPModel

/// Why a chat is not answered.
enum ChatRefusal {
    static let noMachine = APIError(
        .unavailable,
        status: 503,
        code: "no_chat_machine",
        message: "No machine answers chats: name one in the API key, or in MONITOR_CHAT_MACHINE."
    ).final

    static let notAllowed = APIError(
        .unavailable,
        status: 503,
        code: "no_chat_machine",
        message: "The machine does not answer chats: its file agent needs chat=on."
    ).final

    static let away = APIError.unavailable(
        "agent_unavailable",
        "The agent of the machine that answers chats is not connected.",
        retryAfter: 5
    )

    static let answeredElsewhere = APIError.unavailable(
        "agent_unavailable",
        "Another server answers the chat, or the server that did has ended.",
        retryAfter: 5
    )

    static let budget = APIError(
        .rateLimit,
        status: 429,
        code: "insufficient_quota",
        message: "The API key has spent its budget of the day, which ends at midnight UTC."
    ).final

    static let lost = APIError(
        .conflict,
        status: 409,
        code: "answer_lost",
        message: "The request was taken before, and its answer is not known here. It is not run a second time."
    ).final

    static let running = APIError.unavailable(
        "turn_running",
        "The model has not ended its answer. Repeat the request: it waits for the same answer.",
        retryAfter: 1
    )

    static let tooLong = APIError(
        .internalError,
        status: 502,
        code: "claude_failed",
        message: "The answer was longer than 4 MiB, and was ended."
    )

    static let revoked = APIError(
        .authentication,
        status: 401,
        code: "invalid_api_key",
        message: "The credential was revoked, or has expired."
    ).final

    static func tooLarge(_ limit: Int) -> APIError {
        APIError(
            .invalidRequest,
            status: 413,
            code: "body_too_large",
            message: "A plain chat has at most \(limit >> 10) KiB."
        )
    }

    static func model(_ name: String, _ allowed: [String]) -> APIError {
        APIError(
            .notFound,
            status: 404,
            code: "model_not_found",
            message: "The API key does not allow the model '\(name)', but \(allowed.joined(separator: ", ")).",
            param: "model"
        )
    }

    // MARK: Project chats

    static let busy = APIError(
        .conflict,
        status: 409,
        code: "session_busy",
        message: "A turn runs in the session, or a person is asked. Send the message when it has ended."
    ).final

    static let runElsewhere = APIError(
        .conflict,
        status: 409,
        code: "not_ours",
        message: "A terminal or another program runs this session. Chat with it there."
    ).final

    static let dropped = APIError(
        .conflict,
        status: 409,
        code: "interrupted",
        message: "The message was cancelled before the session took it."
    )

    static let stopping = APIError(
        .unavailable,
        status: 503,
        code: "server_stopping",
        message: "The server stops. The turn may go on at the machine; its session has the answer."
    ).final

    static func away(_ machine: String) -> APIError {
        .unavailable("agent_unavailable", "The agent of \(machine) is not connected to this server.", retryAfter: 5)
    }
}

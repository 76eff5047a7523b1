internal import HTTPModel

/// Why a project chat is not answered.
enum ProjectRefusal {
    static let busy = APIError(
        .conflict,
        status: 409,
        code: "session_busy",
        message: "A turn runs in the session, or a person is asked. Send the message when it has ended."
    ).final

    static let elsewhere = APIError(
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

internal import JSON
internal import RPC

/// Why the agent does not carry out a command. The words are shown to people and contain nothing secret.
struct CommandRefusal: Error, Equatable {
    enum Reason: String {
        case notAllowed = "not_allowed_by_machine"
        case outsideRoots = "outside_roots"
        case untrusted = "untrusted_directory"
        case mode = "mode_not_allowed"
        case tooMany = "too_many_sessions"
        case alreadyRunning = "already_running"
        case startFailed = "start_failed"
        case notRunning = "session_not_running"
        case unfit = "unfit_answer"
        case hasTerminal = "session_has_terminal"
        case noTerminal = "session_has_no_terminal"
        case failed = "command_failed"
    }

    var reason: Reason
    var message: String
    var details: [(String, JSONValue)] = []

    init(_ reason: Reason, _ message: String, _ details: [(String, JSONValue)] = []) {
        (self.reason, self.message, self.details) = (reason, message, details)
    }

    var error: RPCError {
        RPCError(
            code: -32005,
            message: message,
            data: .object([("reason", .string(reason.rawValue))] + details)
        )
    }

    static func == (one: CommandRefusal, other: CommandRefusal) -> Bool {
        one.reason == other.reason && one.message == other.message
    }
}

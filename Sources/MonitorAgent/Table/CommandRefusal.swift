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
        case tooManyChats = "too_many_chats"
        /// The chats of the machine have cost what they may in a day.
        case budgetSpent = "insufficient_quota"
        case alreadyRunning = "already_running"
        case startFailed = "start_failed"
        case notRunning = "session_not_running"
        case parked = "session_parked"
        case busy = "session_busy"
        case cannotRewind = "cannot_rewind"
        case unfit = "unfit_answer"
        case hasTerminal = "session_has_terminal"
        case noTerminal = "session_has_no_terminal"
        case failed = "command_failed"
        case tooManyCommands = "too_many_commands"
        case fileNotFound = "file_not_found"
        case fileTooLarge = "file_too_large"
        /// Neither a regular file nor a directory, or not the kind that is asked for.
        case fileKind = "wrong_file_kind"
        case secretFile = "secret_file"
        case changedMeanwhile = "changed_meanwhile"
        case noRepository = "not_a_git_repo"
        case gitFailed = "git_failed"
        case gitConflict = "git_conflict"
        /// Another command, or another git, writes in the repository.
        case repositoryBusy = "repository_busy"
        case gitTimeout = "git_timeout"
        case gitNotFound = "git_not_found"
        case gitUnusable = "git_unavailable"
        case serverNotFound = "mcp_server_not_found"
        /// The server does not answer.
        case serverFailed = "mcp_server_failed"
        case toolNotFound = "tool_not_found"
        /// Two tools of the session have the same name there.
        case ambiguousTool = "ambiguous_tool"
        /// The server defines the tool otherwise than the caller knows it.
        case toolChanged = "tool_changed"
        case deniedByPerson = "denied_by_person"
        /// Claude Code's own rules or hooks do not allow the call.
        case deniedByMachine = "denied_by_machine"
        case approvalExpired = "approval_expired"
        /// The tool was started, and its end is not known.
        case outcomeUnknown = "outcome_unknown"
        case outdatedClient = "claude_outdated"
        /// A picture of a message is not here, or not whole. The server sends both again.
        case uploadLost = "upload_lost"
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

    /// Claude Code knows no conversation of the session that was to be continued.
    var isWithoutConversation: Bool {
        reason == .startFailed
            && details.contains { $0.0 == "stderr" && $0.1.string?.contains("No conversation found") == true }
    }

    static func == (one: CommandRefusal, other: CommandRefusal) -> Bool {
        one.reason == other.reason && one.message == other.message
    }
}

/// An error that ends a command: one line for stderr that says what to do next. Never contains a credential.
struct CommandError: Error, Equatable {
    enum Kind: Int32 {
        case refused = 1
        case unreachable = 3
    }

    var kind: Kind
    var message: String
    /// The HTTP status, if the server answered.
    var status: Int?

    var exitCode: Int32 { kind.rawValue }

    static func refused(_ message: String, status: Int? = nil) -> CommandError {
        CommandError(kind: .refused, message: message, status: status)
    }

    static func unreachable(_ server: String, _ reason: String) -> CommandError {
        CommandError(
            kind: .unreachable,
            message: "cannot reach \(server) (\(reason)): is monitor-server running there? See --url and MONITOR_URL"
        )
    }

    static let noToken = CommandError.refused(
        "no admin token: set --token or MONITOR_ADMIN_TOKEN, or set --data-dir to the server's data directory"
    )
}

internal import JSON
internal import RPC

/// A command about files or repositories of the machine. None drives a session.
protocol WorkspaceCommand: Sendable {
    static var methods: Set<String> { get }

    init(_ method: String, _ params: RPCParams) throws(RPCError)

    /// For the audit: what is looked at or changed, and never its content.
    var recorded: [(String, JSONValue)] { get }
    /// Whether the result is kept for a day, so that a repeat does not act again. A read may be repeated.
    var isKept: Bool { get }

    /// Checks what the machine's file allows and carries the command out, within `context.seconds`. May suspend, but
    /// not block: what blocks runs in `runBlocking`.
    ///
    /// - Throws: `CommandRefusal` or `RPCError`; any other error is reported as a failure without words.
    func run(_ context: WorkspaceContext) async throws -> JSONValue
}

/// The kinds of commands about files and repositories.
enum WorkspaceCommands {
    static let kinds: [any WorkspaceCommand.Type] = [
        FileCommand.self, GitCommand.self, ChangesCommand.self, WatchCommand.self,
    ]

    private static let table: [String: any WorkspaceCommand.Type] = {
        var table: [String: any WorkspaceCommand.Type] = [:]
        for kind in kinds {
            for method in kind.methods { table[method] = kind }
        }
        return table
    }()

    static func kind(of method: String) -> (any WorkspaceCommand.Type)? { table[method] }
}

internal import JSON
internal import RPC

/// `watch/set`: names all workspaces whose changes the server wants. The list replaces the one before.
struct WatchCommand: WorkspaceCommand {
    struct Wish: Sendable, Equatable {
        var workspaceID: String
        var directory: String
        var files: Bool
        var git: Bool
    }

    static let methods: Set<String> = ["watch/set"]
    static let mostWorkspaces = 64

    let wishes: [Wish]

    init(_ method: String, _ params: RPCParams) throws(RPCError) {
        guard let list = params.value("workspaces")?.array, list.count <= WatchCommand.mostWorkspaces else {
            throw .invalidParameter("workspaces", "is not a list of at most \(WatchCommand.mostWorkspaces)")
        }
        var wishes: [Wish] = []
        for entry in list {
            let params = try RPCParams(entry)
            let directory = try params.required("path", limit: 4096)
            guard directory.hasPrefix("/"), !directory.utf8.contains(0) else {
                throw .invalidParameter("path", "is not an absolute path")
            }
            wishes.append(
                Wish(
                    workspaceID: try params.required("workspace_id", limit: 64),
                    directory: directory,
                    files: try params.boolean("files") ?? false,
                    git: try params.boolean("git") ?? false
                )
            )
        }
        self.wishes = wishes
    }

    var recorded: [(String, JSONValue)] {
        [("paths", .array(wishes.map { .string(String($0.directory.prefix(1024))) }))]
    }
    var isKept: Bool { false }

    func run(_ context: WorkspaceContext) async throws -> JSONValue {
        await context.services.watches.set(wishes, context)
        return .object([("workspaces", .integer(Int64(wishes.count)))])
    }
}

internal import JSON
internal import RPC
internal import Workers
internal import WorkspaceFiles

/// `file/list`, `file/stat`, `file/get`, `file/search`.
struct FileCommand: WorkspaceCommand {
    enum Verb: Sendable {
        case list(FileListing)
        case stat
        case get(FileContent)
        case search(FileSearch)
    }

    static let methods: Set<String> = ["file/list", "file/stat", "file/get", "file/search"]

    let path: ServedPath
    let verb: Verb

    init(_ method: String, _ params: RPCParams) throws(RPCError) {
        path = try ServedPath(params)
        switch method {
        case "file/list": verb = .list(try FileListing(params))
        case "file/get": verb = .get(try FileContent(params))
        case "file/search": verb = .search(try FileSearch(params))
        default: verb = .stat
        }
    }

    var recorded: [(String, JSONValue)] { [("path", .string(String(path.shown.prefix(1024))))] }
    var isKept: Bool { false }

    func run(_ context: WorkspaceContext) async throws -> JSONValue {
        let place = try await runBlocking { [path] () throws(CommandRefusal) in try ServedPlace(path, context) }
        switch verb {
        case .stat: return .object(FileFacts.members(of: place))
        case .list(let listing):
            return try await runBlocking { () throws(CommandRefusal) in try listing.run(place, context) }
        case .get(let content): return try await runBlocking { () throws(CommandRefusal) in try content.run(place) }
        case .search(let search): return try await search.run(place, context)
        }
    }
}

internal import EventModel
internal import Host
internal import JSON
internal import MachinePolicy
internal import RPC
internal import Workers

extension AgentCommand {
    /// A search for projects on the machine. Belongs to no session.
    struct Discover: Sendable {
        var paths: [String]?
        var depth: Int

        init(_ params: RPCParams) throws(RPCError) {
            depth = Int(try params.integer("depth", in: 0...Int64(Discovery.mostDepth)) ?? 5)
            guard let paths = params.value("paths") else { return }
            guard let paths = paths.array, (1...64).contains(paths.count) else {
                throw .invalidParameter("paths", "is not a list of 1 to 64 paths")
            }
            self.paths = try paths.map { path throws(RPCError) in
                guard let path = path.string, path.hasPrefix("/"), path.utf8.count <= 4096, !path.utf8.contains(0)
                else {
                    throw .invalidParameter("paths", "are not absolute paths")
                }
                return path
            }
        }
    }
}

extension Agent {
    /// Seconds for a search.
    private static let discoverySeconds = 3.0

    func discover(_ search: AgentCommand.Discover) async throws -> JSONValue {
        let file = files.agent()
        try file.requireUsable()
        let settings = ClaudeSettings.directory(environment) ?? places.home + "/.claude"
        let result = await runBlocking { () -> Result<JSONValue, CommandRefusal> in
            let end = SystemClock.monotonicSeconds() + Agent.discoverySeconds
            let disk = Discovery.Disk(
                directories: DirectoryFacts.directories,
                isRepository: DirectoryFacts.isRepository,
                modified: DirectoryFacts.modified,
                realPath: SmallFile.realPath,
                isDirectory: SmallFile.isDirectory,
                isLate: { SystemClock.monotonicSeconds() >= end }
            )
            let discovery = Discovery(file, disk, DirectoryFacts.history(settings))
            return Result { () throws(CommandRefusal) in
                let (found, isComplete) = try discovery.run(search.paths, depth: search.depth)
                return .object([("directories", .array(found.map(\.json))), ("complete", .bool(isComplete))])
            }
        }
        return try result.get()
    }
}

extension Discovery.Found {
    fileprivate var json: JSONValue {
        .object([
            ("path", .string(path)), ("is_git_repo", .bool(isRepository)),
            ("conversations", .integer(Int64(conversations))),
            ("modified_at", .string("\(Timestamp(microseconds: modified * 1_000_000))")),
        ])
    }
}

internal import MachinePolicy

/// What a command about files or repositories works with.
struct WorkspaceContext: Sendable {
    /// The machine's file as it is now.
    let file: AgentFile
    let files: MachineFiles
    let places: AgentPlaces
    /// The agent's environment as it was at the start, as `NAME=value`.
    let environment: [String]
    let by: AgentCommand.Person
    /// The seconds that the command may take.
    let seconds: Double
    let services: WorkspaceServices

    /// What the machine's file allows at a real path. Throws if no root contains it.
    ///
    /// - Parameter shown: the path as it was asked for.
    func root(of path: String, as shown: String) throws(CommandRefusal) -> AgentFile.Root {
        try file.requireUsable()
        guard let root = MachinePlace.root(of: path, in: file, realPath: SmallFile.realPath) else {
            // Whether something exists outside the roots is nobody's business.
            throw CommandRefusal(.outsideRoots, "\(shown) is not below a root of this machine.")
        }
        return root
    }

    /// Whether a person trusts the folder at a real path.
    func trusts(_ directory: String) -> Bool {
        files.trusts(directory, file, configuration: ClaudeSettings.directory(environment))
    }
}

/// What commands about files and repositories share while the agent runs.
final class WorkspaceServices: Sendable {
    let indexes = NameIndexes()
    let git = GitTools()
    let changes = SessionChanges()
    let watches = WorkspaceWatches()

    init() {}
}

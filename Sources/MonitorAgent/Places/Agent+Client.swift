internal import JSON
internal import MachinePolicy
internal import Workers

/// Signs that the machine may have another Claude Code than before.
struct ClientMark: Equatable {
    private let path: String?
    private let stamp: FileStamp?
    /// Others could replace the program.
    private let isUnsafe: Bool

    init(_ file: AgentFile, _ environment: [String]) {
        path = file.isUsable ? InstalledClient.path(file, environment) : nil
        stamp = path.flatMap(SmallFile.stamp)
        isUnsafe = path.map { MachineFiles.fault(ofProgram: $0, file) != nil } ?? false
    }
}

/// The Claude Code of this machine, which may be installed, updated or removed while the agent runs.
extension Agent {
    /// Asks the program for its version if it is not the one that was asked before, and tells the server.
    func findClient() async {
        let file = files.agent()
        let mark = ClientMark(file, environment)
        guard mark != clientMark, !isFindingClient else { return }
        isFindingClient = true
        defer { isFindingClient = false }
        let found = await InstalledClient.find(file, environment)
        clientMark = mark
        guard found != client else { return }
        client = found
        isStatusStale = true
        ticker.notify()
        if link.node != nil { notify("machine/clients", .object([("clients", clients)])) }
    }

    /// The client, in the form in which the server is told.
    var clients: JSONValue {
        let members: [(String, JSONValue)]? = client.map { client in
            [("name", .string("claude")), ("version", .string(client.version)), ("path", .string(client.path))]
        }
        return .array(members.map { [.object($0)] } ?? [])
    }
}

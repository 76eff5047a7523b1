package import EventModel
package import JSON

/// What a machine's agent tells of the MCP servers of a directory.
package struct ServerReport: Sendable {
    struct Server: Sendable {
        var id: String
        var name: String
        var scope: String
        /// `nil` for scope `user`.
        var path: String?
        var transport: String
        var state: String
        var reason: String?
        /// The definitions are known, and not only the names.
        var isListed: Bool
        /// All tools are known.
        var isComplete: Bool
        var tools: [ToolDefinition]
    }

    static let states = ["connected", "failed", "needs-auth", "pending", "disabled", "unlisted"]
    private static let mostServers = 100
    private static let mostTools = 1000

    let machine: MachineID
    /// A real path.
    let directory: String
    let servers: [Server]
    /// All servers are told.
    let isComplete: Bool

    /// One server that the monitor itself has asked.
    init(of remote: Server) {
        (machine, directory, servers, isComplete) = (.monitor, "", [remote], false)
    }

    /// Returns `nil` if the answer is none. A machine says nothing of other machines, whatever it answers.
    package init?(_ json: JSONValue, from machine: MachineID) {
        guard let directory = json["directory"]?.string, directory.hasPrefix("/"), directory.utf8.count <= 4096,
            let told = json["servers"]?.array
        else { return nil }
        var seen: Set<String> = []
        let servers = told.prefix(ServerReport.mostServers).compactMap { server -> Server? in
            guard let server = Server(server, machine, directory), seen.insert(server.id).inserted else { return nil }
            return server
        }
        (self.machine, self.directory, self.servers) = (machine, directory, servers)
        isComplete = json["is_complete"]?.bool == true && servers.count == told.count
    }
}

extension ServerReport.Server {
    fileprivate init?(_ json: JSONValue, _ machine: MachineID, _ directory: String) {
        guard let name = json["name"]?.string, ToolName.isServer(name),
            let scope = json["scope"]?.string, Self.isWord(scope)
        else { return nil }
        path = scope == "user" ? nil : directory
        id = ToolName.serverID(machine: machine, scope: scope, path: path, name: name)
        (self.name, self.scope) = (name, scope)
        transport = json["transport"]?.string.flatMap { Self.isWord($0) ? $0 : nil } ?? "unknown"
        let state = json["state"]?.string ?? ""
        self.state = ServerReport.states.contains(state) ? state : "unlisted"
        reason = json["reason"]?.string.map { PlainText.lines($0, atMost: 300) }
        isListed = json["is_listed"]?.bool == true
        let told = json["tools"]?.array ?? []
        var names: Set<String> = []
        tools = told.prefix(1000).compactMap { tool in
            guard let tool = ToolDefinition(tool), names.insert(tool.name).inserted else { return nil }
            return tool
        }
        isComplete = isListed && json["is_complete"]?.bool == true && tools.count == told.count
    }

    private static func isWord(_ text: String) -> Bool {
        (1...32).contains(text.utf8.count)
            && text.utf8.allSatisfy { $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: "_") || Self.isLower($0) }
    }

    private static func isLower(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte)
    }
}

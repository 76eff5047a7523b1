internal import JSON
internal import RPC

extension AgentCommand {
    /// The MCP servers and tools that a session is left with. A list that is `nil` leaves all.
    struct ToolLimits: Sendable, Equatable {
        var servers: [String]?
        var tools: [String]?
        /// A name that does not exist is no error.
        var isLenient = false
        /// It counts until it is changed, and not for the next turn only.
        var isLasting = false

        private static let most = 256
        private static let mostNameBytes = 256

        init(servers: [String]?, tools: [String]?, isLenient: Bool = false) {
            (self.servers, self.tools, self.isLenient) = (servers, tools, isLenient)
        }

        init(_ params: RPCParams) throws(RPCError) {
            servers = try ToolLimits.names("enabled_servers", params)
            tools = try ToolLimits.names("enabled_tools", params)
            isLenient = try params.boolean("lenient") ?? false
            isLasting = try params.boolean("lasting") ?? false
        }

        private static func names(_ name: String, _ params: RPCParams) throws(RPCError) -> [String]? {
            guard let value = params.value(name), value != .null else { return nil }
            let texts = value.array?.compactMap(\.string) ?? []
            guard value.array?.count == texts.count, texts.count <= most,
                texts.allSatisfy({ (1...mostNameBytes).contains($0.utf8.count) })
            else { throw .invalidParameter(name, "is not a list of names") }
            return texts
        }

        /// Whether nothing is taken away.
        var isEmpty: Bool { servers == nil && tools == nil }

        var recorded: [(String, JSONValue)] {
            lists + (isLasting ? [("lasting", .bool(true))] : [])
        }

        // MARK: Stored

        private var lists: [(String, JSONValue)] {
            [("enabled_servers", servers), ("enabled_tools", tools)].compactMap { name, list in
                list.map { (name, .array($0.map(JSONValue.string))) }
            }
        }

        /// The form for the state file. It contains the rules, too: the client starts before it knows its servers.
        func stored(_ rules: [String]) -> JSONValue {
            .object(lists + [("rules", .array(rules.map(JSONValue.string)))])
        }

        init(stored: JSONValue) {
            servers = stored["enabled_servers"]?.array?.compactMap(\.string)
            tools = stored["enabled_tools"]?.array?.compactMap(\.string)
            (isLenient, isLasting) = (true, true)
        }
    }
}

/// The rules that leave a client with some of its MCP tools. They only take away: nothing is allowed by them.
struct ToolDenials: Equatable {
    private struct Server {
        var name: String
        var tools: [String]

        var normalized: String { ClaudeToolName.part(name) }

        func names(of tool: String) -> [String] {
            let whole = ClaudeToolName.of(server: name, tool: tool)
            return [
                "\(name).\(tool)", "\(name)__\(tool)", "\(normalized)__\(tool)", "mcp__\(normalized)__\(tool)", whole,
                String(whole.dropFirst("mcp__".count)),
            ]
        }
    }

    let rules: [String]

    /// - Parameter status: the client's answer to `mcp_status`.
    init(_ limits: AgentCommand.ToolLimits, of status: JSONValue) throws(CommandRefusal) {
        let servers = (status["mcpServers"]?.array ?? []).compactMap { server -> Server? in
            guard let name = server["name"]?.string else { return nil }
            return Server(name: name, tools: (server["tools"]?.array ?? []).compactMap { $0["name"]?.string })
        }
        if !limits.isLenient { try ToolDenials.check(limits, servers) }
        let enabled = limits.tools.map(Set.init)
        rules = servers.flatMap { server -> [String] in
            if let names = limits.servers, !names.contains(server.name) { return ["mcp__\(server.normalized)"] }
            guard let enabled else { return [] }
            let denied = server.tools.filter { enabled.isDisjoint(with: server.names(of: $0)) }
            // Without a tool, the server is denied as a whole: it may tell others later.
            guard denied.count < server.tools.count else { return ["mcp__\(server.normalized)"] }
            // The client's own name of a tool: it tells `fs.read`, and calls and denies `fs_read`.
            return denied.map { ClaudeToolName.of(server: server.name, tool: $0) }
        }
    }

    /// Whether one of the rules denies the tool of this name, `mcp__server__tool`.
    static func deny(_ name: String, by rules: [String]) -> Bool {
        rules.contains { $0 == name || name.hasPrefix($0 + "__") }
    }

    private static func check(_ limits: AgentCommand.ToolLimits, _ servers: [Server]) throws(CommandRefusal) {
        let known = Set(servers.map(\.name))
        if let name = limits.servers?.first(where: { !known.contains($0) }) {
            throw CommandRefusal(.serverNotFound, "The session has no MCP server '\(name)'.")
        }
        let tools = Set(servers.flatMap { server in server.tools.flatMap(server.names(of:)) })
        if let name = limits.tools?.first(where: { !tools.contains($0) }) {
            throw CommandRefusal(.toolNotFound, "No MCP server of the session has the tool '\(name)'.")
        }
    }
}

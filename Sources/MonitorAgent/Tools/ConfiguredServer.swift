internal import ClaudeRunner
internal import JSON
internal import MachinePolicy

/// An MCP server that Claude Code is configured with, as Claude Code tells it.
struct ConfiguredServer: Sendable {
    /// What is to be done to learn its tools.
    enum Plan: Sendable {
        /// It is started for that.
        case start(ToolServerStart)
        /// It is not started: its state, and why.
        case leave(state: String, reason: String?)
    }

    static let mostServers = 32
    private static let knownStates: Set<String> = ["connected", "failed", "needs-auth", "pending", "disabled"]

    let name: String
    /// As Claude Code names the places of its configuration.
    let scope: String
    let transport: String
    private let state: String
    private let config: JSONValue
    /// The names and hints that Claude Code tells of a server to which it is connected.
    let tools: [JSONValue]

    /// A server of the folder's `.mcp.json` that nobody has approved. The client does not learn of it.
    init(unapproved name: String) {
        (self.name, scope, transport, state) = (name, "project", "unknown", "unlisted")
        (config, tools) = (.null, [])
    }

    var isPendingRemote: Bool { state == "pending" && transport != "stdio" }

    /// Returns `nil` for a server that is part of the client, and for one without a usable name.
    init?(_ json: JSONValue) {
        guard let name = json["name"]?.string, (1...128).contains(name.utf8.count),
            name.unicodeScalars.allSatisfy({ $0.properties.generalCategory != .control })
        else { return nil }
        config = json["config"] ?? .null
        transport = config["type"]?.string ?? (config["command"] == nil ? "unknown" : "stdio")
        guard transport != "sdk" else { return nil }
        self.name = name
        scope = String((json["scope"]?.string ?? "unknown").prefix(32))
        let state = json["status"]?.string ?? ""
        self.state = ConfiguredServer.knownStates.contains(state) ? state : "unlisted"
        tools = (json["tools"]?.array ?? []).compactMap(ConfiguredServer.named)
    }

    /// The server of a call. Throws if the client has no such server, or if another tool has the same name there.
    ///
    /// - Parameter status: the client's answer to `mcp_status`.
    static func one(
        of request: AgentCommand.AskTool,
        in status: JSONValue
    ) throws(CommandRefusal) -> ConfiguredServer {
        let all = status["mcpServers"]?.array ?? []
        let part = ClaudeToolName.part(request.server)
        let alike = all.filter { $0["name"]?.string.map(ClaudeToolName.part) == part }
        let found = alike.compactMap(ConfiguredServer.init).first {
            $0.name == request.server && $0.scope == request.scope
        }
        guard let found else {
            throw CommandRefusal(.serverNotFound, "The session has no MCP server '\(request.server)'.")
        }
        guard ClaudeToolName.isOfOneServer(part) else {
            throw CommandRefusal(
                .ambiguousTool,
                "Claude Code takes a name like 'mcp__\(part)__...' for that of another server's tool."
            )
        }
        let name = ClaudeToolName.of(server: request.server, tool: request.tool)
        guard alike.count == 1, !isTaken(name, besides: request, among: all) else {
            throw CommandRefusal(.ambiguousTool, "Two tools have the same name for Claude Code.")
        }
        return found
    }

    /// Whether another tool, of this server or of another, has the name for Claude Code.
    private static func isTaken(
        _ name: String,
        besides request: AgentCommand.AskTool,
        among servers: [JSONValue]
    ) -> Bool {
        servers.contains { server in
            guard let own = server["name"]?.string else { return false }
            return (server["tools"]?.array ?? []).contains { tool in
                guard let other = tool["name"]?.string, ClaudeToolName.of(server: own, tool: other) == name else {
                    return false
                }
                return own != request.server || other != request.tool
            }
        }
    }

    /// - Parameters:
    ///   - environment: of the client.
    ///   - variables: what the configuration adds to it.
    ///   - isApproved: whether a person has approved the server of this name in the folder's own file.
    func plan(
        in directory: String,
        environment: [String],
        variables: ServerVariables,
        isApproved: (String) -> Bool
    ) -> Plan {
        if state == "disabled" || state == "needs-auth" { return .leave(state: state, reason: nil) }
        if scope == "project", !isApproved(name) { return .leave(state: "unlisted", reason: "not_approved") }
        guard transport == "stdio" else { return .leave(state: "unlisted", reason: "remote") }
        let more = variables.list(of: name, scope: scope)
        let replaced = Set(more.map { $0.prefix { $0 != "=" } })
        let whole = environment.filter { !replaced.contains($0.prefix { $0 != "=" }) } + more
        guard let command = config["command"]?.string,
            let program = ConfiguredServer.program(command, in: directory, whole)
        else { return .leave(state: "failed", reason: "program_not_found") }
        return .start(
            ToolServerStart(
                executable: program,
                arguments: (config["args"]?.array ?? []).compactMap(\.string),
                environment: whole,
                directory: directory
            )
        )
    }

    /// What the server is told. No command, address or variable leaves the machine.
    func json(state: String, reason: String?, _ list: ToolList?) -> JSONValue {
        var members: [(String, JSONValue)] = [
            ("name", .string(name)), ("scope", .string(scope)), ("transport", .string(transport)),
            ("state", .string(state)),
        ]
        if let reason { members.append(("reason", .string(reason))) }
        members.append(("is_listed", .bool(list != nil)))
        members.append(("is_complete", .bool(list?.isComplete ?? false)))
        members.append(("tools", .array(list?.tools ?? tools)))
        return .object(members)
    }

    private static func named(_ tool: JSONValue) -> JSONValue? {
        guard let name = tool["name"]?.string, ToolList.isName(name) else { return nil }
        return .object([("name", .string(name))])
    }

    /// The program that a shell would find, but without a shell.
    private static func program(_ command: String, in directory: String, _ environment: [String]) -> String? {
        guard !command.isEmpty, !command.utf8.contains(0) else { return nil }
        if command.hasPrefix("/") { return command }
        if command.contains("/") { return directory + "/" + command }
        return (Environment.value("PATH", environment) ?? "").split(separator: ":")
            .filter { $0.hasPrefix("/") }
            .map { $0 + "/" + command }
            .first { OwnFile.canRun($0) && !SmallFile.isDirectory($0) }
    }
}

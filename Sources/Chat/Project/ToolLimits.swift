internal import API
internal import HTTPModel
internal import JSON
internal import Persistence
internal import Sessions

/// The member `mcp` of a request for a project chat: the MCP servers and tools that the session is left with. It takes
/// away only: what it names is asked for as before.
package struct ToolLimits: Sendable, Equatable {
    /// `nil` leaves all.
    package var servers: [String]?
    package var tools: [String]?

    private static let most = 256
    private static let mostNameBytes = 256
    private static let members: Set<String> = ["enabled_servers", "enabled_tools", "priority", "audit_log"]

    /// Whether nothing is taken away.
    var isEmpty: Bool { servers == nil && tools == nil }

    /// Returns `nil` if the request does not have the member.
    ///
    /// `priority` orders nothing that Claude Code would read, and everything is recorded in any case. So both are only
    /// checked.
    init?(_ json: JSONValue) throws(APIError) {
        guard let value = json[ChatField.mcp.rawValue], value != .null else { return nil }
        guard case .object(let members) = value else { throw .refused(.mcp, "'mcp' must be an object.") }
        if let unknown = members.first(where: { !ToolLimits.members.contains($0.0) }) {
            throw .refused(.mcp, "'mcp' has no member '\(unknown.0)'.", at: "mcp.\(unknown.0)")
        }
        servers = try ToolLimits.names("enabled_servers", value)
        tools = try ToolLimits.names("enabled_tools", value)
        _ = try ToolLimits.names("priority", value)
        if let flag = value["audit_log"], flag != .null, flag.bool == nil {
            throw .refused(.mcp, "'audit_log' must be true or false.", at: "mcp.audit_log")
        }
    }

    private static func names(_ name: String, _ json: JSONValue) throws(APIError) -> [String]? {
        guard let value = json[name], value != .null else { return nil }
        let texts = value.array?.compactMap(\.string) ?? []
        guard value.array?.count == texts.count, texts.count <= most,
            texts.allSatisfy({ (1...mostNameBytes).contains($0.utf8.count) && !$0.utf8.contains(0) })
        else { throw .refused(.mcp, "'\(name)' must be a list of at most \(most) names.", at: "mcp.\(name)") }
        return texts
    }

    // MARK: Stored

    var stored: String {
        var writer = JSONWriter()
        writer.value(
            .object(
                [("enabled_servers", servers), ("enabled_tools", tools)].compactMap { name, list in
                    list.map { (name, .array($0.map(JSONValue.string))) }
                }
            )
        )
        return String(decoding: writer.bytes, as: UTF8.self)
    }

    init(stored: String) {
        let json = try? JSONValue.parse(Array(stored.utf8))
        servers = json?["enabled_servers"]?.array?.compactMap(\.string)
        tools = json?["enabled_tools"]?.array?.compactMap(\.string)
    }
}

extension ProjectChats {
    /// Leaves the session with the tools that the request names, or that an earlier request has named. Before each
    /// message: another process may have the session now, and servers may have others.
    func limitTools(of turn: ProjectTurn, in session: Session) async throws(APIError) {
        let own = turn.request.toolLimits
        var limits = own
        if limits == nil, turn.target.session != nil {
            limits = try await chats.database.use { store throws(PersistenceError) in
                try await store.toolLimits(of: session.id)
            }
        }
        guard let limits else { return }
        do throws(APIError) {
            try await ports.limitTools(limits, own == nil, session, turn.responder)
        } catch {
            throw error.namingToolLimits
        }
        let now = chats.clock()
        try await chats.database.use { store throws(PersistenceError) in
            try await store.keep(limits, of: session.id, on: session.machine, at: now)
        }
    }
}

extension APIError {
    fileprivate var namingToolLimits: APIError {
        var error = self
        switch code {
        case "mcp_server_not_found": error.param = "mcp.enabled_servers"
        case "tool_not_found": error.param = "mcp.enabled_tools"
        default: break
        }
        return error
    }
}

internal import API
internal import HTTPModel
internal import JSON
internal import Persistence
internal import Sessions

extension ToolLimits {
    /// The member `mcp` of a request for a project chat. Returns `nil` if the request does not have it.
    ///
    /// `priority` orders nothing that Claude Code would read, so it is only checked.
    init?(_ json: JSONValue) throws(APIError) {
        let name = ChatField.mcp.rawValue
        guard let value = json[name], value != .null else { return nil }
        try self.init(value, at: name)
        priority = nil
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

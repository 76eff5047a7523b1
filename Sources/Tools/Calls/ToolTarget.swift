internal import EventModel
internal import HTTPModel
internal import Persistence

/// The tool that a name means at a place.
struct ToolTarget: Sendable, Equatable {
    var serverID: String
    var server: String
    var scope: String
    var tool: String
    /// The SHA-256 of the tool's pinned definition; empty if only the tool's name is known.
    var digest: String
    var machineName: String

    /// The scopes in the order of preference: if several servers have the same name, Claude Code takes the first.
    private static let nearest = ["local", "project", "user"]

    /// Picks the one tool that Claude Code would call. Pure.
    ///
    /// - Parameter tools: all that the name can mean.
    init?(of tools: [StoredTool]) throws(APIError) {
        func distance(_ tool: StoredTool) -> Int { ToolTarget.nearest.firstIndex(of: tool.scope) ?? 3 }
        guard let found = tools.min(by: { distance($0) < distance($1) }) else { return nil }
        let isOne = tools.allSatisfy { tool in
            tool.server == found.server && tool.name == found.name
                && (tool.serverID == found.serverID || distance(tool) != distance(found))
        }
        guard isOne else { throw ToolCallRefusal.ambiguous }
        guard found.state != .changed else { throw ToolCallRefusal.changed }
        (serverID, server, scope, tool) = (found.serverID, found.server, found.scope, found.name)
        (digest, machineName) = (found.pinned.digest, found.machineName)
    }

    /// A tool that no list has, of a server whose tools are not all known.
    init?(named name: String, of servers: [StoredServer]) throws(APIError) {
        let found = servers.compactMap { server -> (StoredServer, String)? in
            guard !server.isComplete else { return nil }
            for prefix in [server.name, server.id] {
                for separator in [".", "__"] where name.hasPrefix(prefix + separator) {
                    let tool = String(name.dropFirst(prefix.count + separator.count))
                    if ToolName.isTool(tool) { return (server, tool) }
                }
            }
            return nil
        }
        guard let (server, tool) = found.first else { return nil }
        guard found.count == 1 else { throw ToolCallRefusal.ambiguous }
        (serverID, self.server, scope, self.tool) = (server.id, server.name, server.scope, tool)
        (digest, machineName) = ("", server.machineName)
    }

    /// A server cannot rid a tool of its pin, or of its wait for a person, by not listing it.
    ///
    /// - Parameter pin: of the tool, from when it was listed.
    mutating func keep(_ pin: ToolPins.Pinned?) throws(APIError) {
        guard let pin else { return }
        guard pin.offered == nil else { throw ToolCallRefusal.changed }
        digest = pin.digest
    }
}

internal import JSON

/// A client without tools of its own, which gets no message: it only tells which MCP servers are configured or which
/// models it offers, or runs the servers' tools.
package struct ToolHost: Sendable, Equatable {
    /// The servers of the folder that it must not start, by name.
    package var refused: [String]
    /// Whether it runs tools, so that the person's hooks and these rules count.
    package var denyRules: [String]?

    package init(refusing refused: [String], denyRules: [String]? = nil) {
        (self.refused, self.denyRules) = (refused, denyRules)
    }

    var settings: JSONValue {
        var members: [(String, JSONValue)] = [("disabledMcpjsonServers", .array(refused.map(JSONValue.string)))]
        if let denyRules {
            let rules = JSONValue.array(denyRules.map(JSONValue.string))
            members.append(("permissions", .object([("deny", rules)])))
        } else {
            members.insert(("disableAllHooks", .bool(true)), at: 0)
        }
        return .object(members)
    }
}

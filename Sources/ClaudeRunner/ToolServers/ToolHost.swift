internal import JSON

/// A client without tools of its own and without hooks, which gets no message: it only tells which MCP servers are
/// configured.
package struct ToolHost: Sendable, Equatable {
    /// The servers of the folder that it must not start, by name.
    package var refused: [String]

    package init(refusing refused: [String]) {
        self.refused = refused
    }

    var settings: JSONValue {
        .object([
            ("disableAllHooks", .bool(true)),
            ("disabledMcpjsonServers", .array(refused.map(JSONValue.string))),
        ])
    }
}

internal import JSON

/// The bridge in Claude Code's configuration, as hooks/install.sh --mcp adds it.
enum BridgeEntry {
    /// The name of the user's server that starts the bridge.
    static func name(in record: [UInt8]) -> String? {
        guard case .object(let servers)? = (try? JSONValue.parse(record, maxDepth: 128))?["mcpServers"] else {
            return nil
        }
        return servers.first { _, server in
            let program = server["command"]?.string?.split(separator: "/").last
            return program == "monitor-agent" && server["args"]?.array?.first?.string == Arguments.Command.mcp.rawValue
        }?.0
    }
}

internal import Signing

/// The names under which `/mcp` offers tools of MCP servers. A name is made once and stored: it is never taken apart,
/// and it does not pass to another tool.
enum EndpointName {
    /// Claude Code puts `mcp__monitor__` before a name, and takes 64 characters in all.
    static let most = 50
    private static let tail = 12

    /// The name that a tool gets if no other tool has it.
    static func plain(_ server: String, _ tool: String) -> String? {
        let name = ToolName.plain(server) + "__" + ToolName.plain(tool)
        return name.utf8.count <= most ? name : nil
    }

    /// The name that no other tool can have.
    ///
    /// - Parameter id: the server's id.
    static func unique(_ server: String, _ tool: String, id: String) -> String {
        let digest = Hex.encode(Digest.sha256(Array("\(id)\0\(tool)".utf8))).prefix(tail)
        let name = ToolName.plain(server) + "__" + ToolName.plain(tool)
        let start = name.prefix(most - tail - 1)
        // No tool of the monitor itself has a name with these two characters.
        return start.contains("__") ? "\(start)_\(digest)" : "\(start.prefix(most - tail - 2))__\(digest)"
    }
}

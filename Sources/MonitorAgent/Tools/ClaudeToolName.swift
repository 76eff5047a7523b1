/// How Claude Code names the tools of MCP servers. Different tools may have the same name there.
enum ClaudeToolName {
    static func of(server: String, tool: String) -> String { "mcp__\(part(server))__\(part(tool))" }

    /// Whether Claude Code finds a server by the names of its tools: it reads the server's name up to the first `__`.
    ///
    /// - Parameter server: the server's name as a part of the whole.
    static func isOfOneServer(_ server: String) -> Bool { !server.contains("__") && !server.hasSuffix("_") }

    /// The name of a server or a tool, as a part of the whole.
    static func part(_ name: String) -> String {
        String(
            String.UnicodeScalarView(
                name.unicodeScalars.map { scalar in
                    let isKept =
                        scalar == "_" || scalar == "-" || scalar.isASCII && scalar.properties.isAlphabetic
                        || scalar.properties.numericType == .decimal && scalar.isASCII
                    return isKept ? scalar : "_"
                }
            )
        )
    }
}

/// A set of tools by their names. A tool of the monitor has its own name, a tool of an MCP server is `server.tool`, and
/// `server.*` stands for all tools of a server.
package struct ToolSet: Sendable, Equatable {
    static let most = 200
    private static let mostBytes = 300
    /// Sorted, without repeats.
    package let names: [String]

    /// - Parameter names: names as in a profile. They may repeat.
    package init(_ names: [String]) { self.names = Array(Set(names)).sorted() }

    package func contains(_ tool: String, of server: String) -> Bool {
        names.contains("\(server).\(tool)") || names.contains("\(server).*")
    }

    static func isName(_ name: String) -> Bool {
        (1...mostBytes).contains(name.utf8.count)
            && !name.unicodeScalars.contains { scalar in
                [.control, .format, .surrogate, .lineSeparator, .paragraphSeparator]
                    .contains(scalar.properties.generalCategory)
            }
    }
}

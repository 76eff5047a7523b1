package import EventModel

/// What somebody searches for, and among which tools. A tool must meet all conditions.
package struct ToolQuery: Sendable {
    /// Free text.
    package var words: String
    /// `nil` means all machines. `MachineID.monitor` has the remote servers.
    package var machines: Set<MachineID>?
    /// Names; `nil` means all.
    package var serverNames: Set<String>?
    /// One server, by its id or its name.
    package var server: String?
    /// Servers of this directory and those of no directory; `nil` means all.
    package var path: String?
    /// `nil` means all.
    package var only: ToolSet?
    /// Only tools whose definition is pinned and has not changed.
    package var isReadyOnly = false
    package var limit: Int
    package var offset = 0

    package init(_ words: String, limit: Int = 50) {
        (self.words, self.limit) = (words, limit)
    }
}

/// A tool of one server.
package struct ToolKey: Hashable, Sendable {
    /// The id.
    package var server: String
    /// The name that the server gives it.
    package var tool: String

    package init(server: String, tool: String) {
        (self.server, self.tool) = (server, tool)
    }
}

extension ToolQuery {
    private static let (mostCharacters, mostWords) = (1000, 32)

    /// The single words, in small letters.
    var singleWords: [String] {
        ToolName.words(String(words.prefix(ToolQuery.mostCharacters))).lowercased().split(separator: " ")
            .prefix(ToolQuery.mostWords).flatMap { ToolSynonyms.phrases[String($0)] ?? [String($0)] }
    }

    func covers(_ tool: IndexedTool) -> Bool {
        (!isReadyOnly || tool.isReady) && machines?.contains(tool.machine) ?? true
            && (server == nil || server == tool.key.server || server == tool.server)
            && serverNames?.contains(tool.server) ?? true
            && (path == nil || tool.path == nil || tool.path == path)
            && only?.contains(tool.key.tool, of: tool.server) ?? true
    }
}

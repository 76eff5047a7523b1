/// Compares what a server says of its tools with what is pinned. The first definition is pinned. Another one is put
/// aside until a person accepts it, so that no server changes a tool under the eyes of those who rely on it.
enum ToolPins {
    /// The most pins of one server, with those of tools that are gone. Further tools are left out: if new pins
    /// replaced old ones, a server could get rid of the pin of a tool.
    static let most = 2000

    struct Pinned: Sendable, Equatable {
        var digest: String
        /// The digest of the definition that waits for a person.
        var offered: String?
        var isPresent: Bool
    }

    enum Change: Sendable, Equatable {
        /// Pins the first definition. If only the name was known until now, that counts as none.
        case pin(ToolDefinition)
        /// Puts another definition aside.
        case offer(ToolDefinition)
        /// The server says what is pinned, so that nothing waits.
        case settle(String)
        /// The tool is there again.
        case appear(String)
        case disappear(String)

        /// The tool whose first definition is pinned.
        var pinned: ToolDefinition? { if case .pin(let tool) = self { tool } else { nil } }
    }

    /// - Parameter pinned: by the tools' names.
    static func changes(_ pinned: [String: Pinned], _ server: ServerReport.Server) -> [Change] {
        var changes: [Change] = []
        var room = most - pinned.count
        for tool in server.tools {
            guard let known = pinned[tool.name] else {
                if room > 0 { changes.append(.pin(tool)) }
                room -= 1
                continue
            }
            if tool.isNameOnly {
                // A name alone says nothing of the definition.
                if !known.isPresent { changes.append(.appear(tool.name)) }
            } else if tool.digest == known.digest {
                if !known.isPresent || known.offered != nil { changes.append(.settle(tool.name)) }
            } else if known.digest.isEmpty {
                changes.append(.pin(tool))
            } else if known.offered != tool.digest || !known.isPresent {
                changes.append(.offer(tool))
            }
        }
        guard server.isComplete else { return changes }
        let told = Set(server.tools.map(\.name))
        let gone = pinned.filter { $0.value.isPresent && !told.contains($0.key) }
        return changes + gone.keys.sorted().map(Change.disappear)
    }

    /// Whether each tool of the server has a pin, or gets one.
    static func haveRoom(_ pinned: [String: Pinned], for server: ServerReport.Server) -> Bool {
        pinned.count + server.tools.count { pinned[$0.name] == nil } <= most
    }
}

internal import JSON

/// The MCP servers that a folder itself brings, in `.mcp.json`.
package enum ProjectServers {
    /// The names in the files of the folder and of those that contain it.
    ///
    /// - Parameter directory: a real path.
    package static func names(in directory: String) -> [String] {
        var names: [String] = []
        var place = directory
        while true {
            names += self.names(inFile: place + "/.mcp.json")
            guard place != "/" else { return names }
            place = SmallFile.parent(of: place)
        }
    }

    private static func names(inFile path: String) -> [String] {
        guard case .text(let text, _, _) = SmallFile.read(path, atMost: 1 << 20),
            let json = try? JSONValue.parse(text, maxDepth: 64), case .object(let servers)? = json["mcpServers"]
        else { return [] }
        return servers.map(\.0)
    }
}

/// The servers of a folder's `.mcp.json` that a person lets run.
package enum ApprovedServers: Sendable, Equatable {
    case all
    case only(Set<String>)

    package func contains(_ name: String) -> Bool {
        switch self {
        case .all: true
        case .only(let names): names.contains(name)
        }
    }

    /// Those that the person has approved in Claude Code.
    ///
    /// - Parameters:
    ///   - directory: a real path.
    ///   - record: the text of `.claude.json`.
    package init(in directory: String, record: [UInt8]) {
        let path = Array(directory.utf8)
        let names = try? JSONParser().withDocument(record) { document -> Set<String> in
            guard let projects = document["projects"], projects.isObject else { return [] }
            var last: Set<String> = []
            for member in projects.members where member.name.string.map({ Array($0.utf8) == path }) == true {
                let enabled = member.value["enabledMcpjsonServers"]
                last = Set((enabled?.elements.compactMap(\.string) ?? []).map { String($0) })
            }
            return last
        }
        self = .only(names ?? [])
    }
}

extension MachineFiles {
    /// The servers of a folder's own file that may run: all if the file `agent` trusts the folder, else those that a
    /// person has approved.
    ///
    /// - Parameter directory: a real path.
    package func approvedServers(in directory: String, _ file: AgentFile, configuration: String?) -> ApprovedServers {
        if file.isUsable, file.trusted.map(MachinePlace.plain).contains(directory) { return .all }
        let record = FolderTrust.recordPath(home: home, configuration: configuration)
        guard case .text(let text, _, _) = SmallFile.read(record, atMost: 64 << 20) else { return .only([]) }
        return ApprovedServers(in: directory, record: text)
    }
}

internal import JSON
internal import MachinePolicy

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

    /// Where Claude Code has another server of this name that comes before the user's.
    ///
    /// - Parameter folders: real paths. Their `.mcp.json` counts, and those of the folders that contain them.
    static func rivals(of name: String, in record: [UInt8], _ folders: [String]) -> [String] {
        var places: [String] = []
        if case .object(let projects)? = (try? JSONValue.parse(record, maxDepth: 128))?["projects"] {
            places = projects.filter { $0.1["mcpServers"]?[name] != nil }.map { "the configuration of \($0.0)" }
        }
        for folder in folders where ProjectServers.names(in: folder).contains(name) {
            let place = "a .mcp.json of \(folder)"
            if !places.contains(place) { places.append(place) }
        }
        return places
    }
}

internal import JSON
internal import Signing

/// What servers said of their tools when this agent last asked them. Pure.
struct ListedTools {
    private struct Place: Hashable {
        var directory: String
        var server: String
        var scope: String
    }

    /// Seconds for which the answer of a server counts.
    private static let freshSeconds = 60.0
    private static let most = 64

    /// The digests of the definitions, by the tools' names.
    private var digests: [Place: (at: Double, tools: [String: String])] = [:]

    mutating func note(_ tools: [JSONValue], of server: ConfiguredServer, in directory: String, now: Double) {
        let place = Place(directory: directory, server: server.name, scope: server.scope)
        digests[place] = (now, ListedTools.digests(tools))
        guard digests.count > ListedTools.most else { return }
        if let oldest = digests.min(by: { $0.value.at < $1.value.at })?.key { digests[oldest] = nil }
    }

    /// The digests of the server's tools, by name; `nil` if the server was not asked within `freshSeconds`.
    func fresh(of server: ConfiguredServer, in directory: String, now: Double) -> [String: String]? {
        let place = Place(directory: directory, server: server.name, scope: server.scope)
        guard let known = digests[place], now - known.at < ListedTools.freshSeconds else { return nil }
        return known.tools
    }

    /// As the server that this agent tells of the tools makes them.
    static func digests(_ tools: [JSONValue]) -> [String: String] {
        var digests: [String: String] = [:]
        for tool in tools {
            guard let name = tool["name"]?.string else { continue }
            // As the definition is after its way to the server: a number may be written otherwise there.
            let told = (try? JSONValue.parse(tool.encoded, maxDepth: 128)) ?? tool
            digests[name] = Digest.hex(ofSorted: told)
        }
        return digests
    }
}

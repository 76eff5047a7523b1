internal import JSON
internal import MachinePolicy

/// The variables that the configuration of Claude Code gives its MCP servers. Claude Code does not tell them, and they
/// do not leave the machine.
struct ServerVariables: Sendable {
    private let record: JSONValue
    private let directory: String
    private let environment: [String: String]

    /// - Parameters:
    ///   - record: the path of `.claude.json`.
    ///   - directory: a real path.
    ///   - environment: of the client, which the configuration may refer to.
    init(record: String, directory: String, environment: [String]) {
        self.record = ServerVariables.file(record)
        self.directory = directory
        self.environment = Environment.table(environment)
    }

    /// As `NAME=value`.
    func list(of server: String, scope: String) -> [String] {
        guard case .object(let members)? = configuration(of: server, scope)?["env"] else { return [] }
        return members.compactMap { name, value in
            guard let text = value.string.map(expanded), !name.isEmpty, !name.contains("="),
                !(name + text).utf8.contains(0)
            else { return nil }
            return "\(name)=\(text)"
        }
    }

    private func configuration(of server: String, _ scope: String) -> JSONValue? {
        switch scope {
        case "user": return record["mcpServers"]?[server]
        case "local": return record["projects"]?[directory]?["mcpServers"]?[server]
        case "project":
            var place = directory
            while true {
                if let found = ServerVariables.file(place + "/.mcp.json")["mcpServers"]?[server] { return found }
                guard place != "/" else { return nil }
                place = SmallFile.parent(of: place)
            }
        default: return nil
        }
    }

    /// Replaces `${NAME}` and `${NAME:-default}` by the environment variable that the client has, or by the default.
    func expanded(_ text: String) -> String {
        var result = ""
        var rest = text[...]
        while let begin = rest.range(of: "${"), let end = rest[begin.upperBound...].firstIndex(of: "}") {
            result += rest[..<begin.lowerBound]
            let word = rest[begin.upperBound..<end]
            let name = word.range(of: ":-").map { word[..<$0.lowerBound] } ?? word
            let usual = word.range(of: ":-").map { String(word[$0.upperBound...]) }
            result += environment[String(name)] ?? usual ?? "${\(word)}"
            rest = rest[rest.index(after: end)...]
        }
        return result + rest
    }

    private static func file(_ path: String) -> JSONValue {
        guard case .text(let text, _, _) = SmallFile.read(path, atMost: 16 << 20) else { return .null }
        return (try? JSONValue.parse(text, maxDepth: 128)) ?? .null
    }
}

extension Substring {
    /// The first place of a text in this one.
    fileprivate func range(of text: String) -> Range<Index>? {
        var start = startIndex
        while start != endIndex {
            if self[start...].hasPrefix(text) { return start..<index(start, offsetBy: text.count) }
            start = index(after: start)
        }
        return nil
    }
}

package import HTTPModel
package import JSON

/// The MCP servers and tools that a session is left with. It takes away only: what it names is asked for as before.
package struct ToolLimits: Sendable, Equatable {
    /// `nil` leaves all.
    package var servers: [String]?
    package var tools: [String]?
    /// Claude Code knows no order of tools, so that this is only shown.
    package var priority: [String]?

    private static let most = 256
    private static let mostNameBytes = 256
    private static let members: Set<String> = ["enabled_servers", "enabled_tools", "priority", "audit_log"]

    /// Whether nothing is taken away.
    package var isEmpty: Bool { servers == nil && tools == nil }

    /// Everything is recorded in any case. So `audit_log` is only checked.
    ///
    /// - Parameter place: the path of the value in the request, for errors; `nil` if it is the body.
    package init(_ value: JSONValue, at place: String?) throws(APIError) {
        let prefix = place.map { "\($0)." } ?? ""
        guard case .object(let members) = value else {
            throw .invalid("invalid_parameter", "'\(place ?? "The body")' must be an object.", param: place)
        }
        if let unknown = members.first(where: { !ToolLimits.members.contains($0.0) }) {
            let what = place.map { "'\($0)'" } ?? "The body"
            throw .invalid("invalid_parameter", "\(what) has no member '\(unknown.0)'.", param: prefix + unknown.0)
        }
        servers = try ToolLimits.names("enabled_servers", value, prefix)
        tools = try ToolLimits.names("enabled_tools", value, prefix)
        priority = try ToolLimits.names("priority", value, prefix)
        if let flag = value["audit_log"], flag != .null, flag.bool == nil {
            throw .invalid("invalid_parameter", "'audit_log' must be true or false.", param: prefix + "audit_log")
        }
    }

    private static func names(_ name: String, _ json: JSONValue, _ prefix: String) throws(APIError) -> [String]? {
        guard let value = json[name], value != .null else { return nil }
        let texts = value.array?.compactMap(\.string) ?? []
        guard value.array?.count == texts.count, texts.count <= most,
            texts.allSatisfy({ (1...mostNameBytes).contains($0.utf8.count) && !$0.utf8.contains(0) })
        else {
            throw .invalid(
                "invalid_parameter",
                "'\(name)' must be a list of at most \(most) names.",
                param: prefix + name
            )
        }
        return texts
    }

    // MARK: Stored

    package var stored: String {
        let lists = [("enabled_servers", servers), ("enabled_tools", tools), ("priority", priority)]
        let members = lists.compactMap { name, list in list.map { (name, JSONValue.array($0.map(JSONValue.string))) } }
        return String(decoding: JSONValue.object(members).encoded, as: UTF8.self)
    }

    package init(stored: String) {
        let json = try? JSONValue.parse(Array(stored.utf8))
        servers = json?["enabled_servers"]?.array?.compactMap(\.string)
        tools = json?["enabled_tools"]?.array?.compactMap(\.string)
        priority = json?["priority"]?.array?.compactMap(\.string)
    }
}

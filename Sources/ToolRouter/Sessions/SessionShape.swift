internal import JSON

/// A session as answers have it.
struct ShownSession: Sendable {
    var session: RouterSession
    /// The endpoint of the Model Context Protocol.
    var url: String
    /// The names of the tools that the session has without a search.
    var tools: [String]
    /// Whether the accounts of a toolkit are one text, as older clients read them, and not a list.
    var hasSingleAccounts: Bool
}

extension ShownSession {
    static let shape = ObjectShape<ShownSession>("RouterSession") { it in
        it.member("session_id") { $0.session.id }
        it.object("mcp") { it in
            it.constant("type", "http")
            it.member("url") { $0.url }
        }
        it.member("tool_router_tools") { $0.tools }
        it.custom("config", JSONSchema.any) { $0.writeConfig(to: &$1) }
        it.member("config_version") { $0.session.version }
        it.member("created_at") { $0.session.createdAt }
        // The names that the first Swift client reads.
        it.member("sessionId") { $0.session.id }
        it.member("toolRouterTools") { $0.tools }
    }

    /// Members that the request does not have get their defaults.
    private func writeConfig(to writer: inout JSONWriter) {
        let (config, json) = (session.config, session.config.json)
        writer.beginObject()
        writer.field("user_id", config.userID)
        if let toolkits = json["toolkits"].flatMap(ShownSession.rule) { writer.field("toolkits", toolkits) }
        if case .object(let rules)? = json["tools"] {
            let shown = rules.compactMap { name, rule in ShownSession.rule(rule).map { (name, $0) } }
            writer.field("tools", .object(shown))
        }
        if let tags = json["tags"].flatMap(ShownSession.rule) { writer.field("tags", tags) }
        for name in ["auth_configs", "workbench", "multi_account", "proxy_execute"] {
            if let value = json[name], value != .null { writer.field(name, value) }
        }
        writeAccounts(to: &writer)
        writer.beginObject("execute")
        writer.field("enable_multi_execute", config.executesMany)
        writer.endObject()
        writer.beginObject("search")
        writer.field("enable", config.searches)
        writer.endObject()
        writer.beginObject("preload")
        switch config.preload {
        case .all: writer.field("tools", "all")
        case .tools(let slugs): writer.strings("tools", slugs)
        }
        writer.endObject()
        writer.field("instant", false)
        writer.beginObject("manage_connections")
        writer.field("enabled", config.managesConnections)
        writer.field("enable_wait_for_connections", config.waitsForConnections)
        writer.field("callback_url", config.callback)
        writer.endObject()
        writer.endObject()
    }

    private func writeAccounts(to writer: inout JSONWriter) {
        let accounts = session.config.accounts
        guard !accounts.isEmpty else { return }
        writer.beginObject("connected_accounts")
        for (toolkit, ids) in accounts.sorted(by: { $0.key < $1.key }) {
            writer.key(named: toolkit)
            writer.value(hasSingleAccounts ? .string(ids.first ?? "") : .array(ids.map(JSONValue.string)))
        }
        writer.endObject()
    }

    /// Answers say `enabled` for what requests say `enable`.
    private static func rule(_ value: JSONValue) -> JSONValue? {
        if value.array != nil { return .object([("enabled", value)]) }
        guard case .object(let members) = value else { return nil }
        return .object(
            members.compactMap { name, value in
                switch name {
                case "enable", "enabled": ("enabled", value)
                case "disable", "disabled": ("disabled", value)
                case "tags": rule(value).map { ("tags", $0) }
                default: (name, value)
                }
            }
        )
    }
}

internal import HTTPModel
internal import JSON
internal import Tools

/// What a program wants of a session. Made from the members of its request, which are stored. Pure.
struct SessionConfig: Sendable, Equatable {
    enum Preload: Sendable, Equatable {
        case all
        /// The slugs of tools.
        case tools([String])
    }

    /// The toolkits, tools and hints for whose calls a person is always asked.
    struct Approvals: Sendable, Equatable {
        var toolkits: Set<String> = []
        var tools: Set<String> = []
        var hints: Set<String> = []
        /// The keys are slugs of toolkits.
        var hintsOf: [String: Set<String>] = [:]

        func cover(_ tool: ToolkitTool) -> Bool {
            toolkits.contains(tool.toolkit) || tools.contains(tool.slug) || !hints.isDisjoint(with: tool.hints)
                || !(hintsOf[tool.toolkit] ?? []).isDisjoint(with: tool.hints)
        }
    }

    /// The members of a request that are stored.
    static let members: Set<String> = [
        "user_id", "toolkits", "tools", "tags", "auth_configs", "connected_accounts", "manage_connections", "workbench",
        "multi_account", "preload", "search", "execute", "experimental", "instant", "proxy_execute",
    ]
    static let hintNames: Set<String> = [
        "readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint", "createHint", "updateHint",
    ]

    /// The members as they were given.
    let json: JSONValue
    var userID: String
    var filter = ToolkitFilter()
    var approvals = Approvals()
    var preload = Preload.tools([])
    var managesConnections = true
    var waitsForConnections = false
    var callback: String?
    var searches = true
    var executesMany = true
    /// The ids of accounts, by the slugs of toolkits.
    var accounts: [String: [String]] = [:]
    /// Maps the slug of a toolkit to the id of its auth config.
    var authConfigs: [String: String] = [:]

    /// - Parameter json: an object with the members of a request to create a session.
    init(_ json: JSONValue) throws(APIError) {
        self.json = json
        let reader = ConfigReader(json)
        guard let userID = try reader.text("user_id", atMost: 256) else {
            throw .invalid("missing_parameter", "'user_id' is missing.", param: "user_id")
        }
        self.userID = userID
        try readToolkits(json["toolkits"])
        if let hints = try ConfigReader.hints(json["tags"], "tags") {
            filter.hints = hints.filter
            approvals.hints = hints.approvals
        }
        try readTools(json["tools"])
        try readPreload(json["preload"])
        try readConnections(json["manage_connections"])
        searches = try reader.flag("search", "enable") ?? true
        executesMany = try reader.flag("execute", "enable_multi_execute") ?? true
        for (slug, ids) in try reader.members("connected_accounts") {
            if let id = ids.string {
                accounts[slug] = [id]
            } else {
                accounts[slug] = try ConfigReader.names(ids, "connected_accounts")
            }
        }
        for (slug, id) in try reader.members("auth_configs") { authConfigs[slug] = id.string }
    }

    /// The configuration of a session whose row is not valid: it has no tools.
    static let none: SessionConfig = {
        var none = SessionConfig(userID: "")
        none.filter.toolkits = []
        return none
    }()

    private init(userID: String) { (self.userID, json) = (userID, .object([])) }

    var stored: String { String(decoding: json.encoded, as: UTF8.self) }

    private mutating func readToolkits(_ value: JSONValue?) throws(APIError) {
        guard let rule = try ConfigReader.rule(value, "toolkits") else { return }
        filter.toolkits = rule.enabled.map { $0.map(ConfigReader.toolkit) }
        filter.withoutToolkits = rule.disabled.map(ConfigReader.toolkit)
        approvals.toolkits = Set(rule.approvals.map(ConfigReader.toolkit))
    }

    /// The rules of single toolkits: an array of tools, an object, or a word.
    private mutating func readTools(_ value: JSONValue?) throws(APIError) {
        guard let value, value != .null else { return }
        guard case .object(let rules) = value, rules.count <= ConfigReader.most else {
            throw RouterFault.badRequest("'tools' must be an object with a rule for each toolkit.", param: "tools")
        }
        for (name, value) in rules {
            let slug = ConfigReader.toolkit(name)
            guard let rule = try ConfigReader.rule(value, "tools") else { continue }
            if let enabled = rule.enabled {
                filter.narrowed.append(slug)
                filter.chosen += enabled.map { $0.uppercased() }
            }
            filter.without += rule.disabled.map { $0.uppercased() }
            approvals.tools.formUnion(rule.approvals.map { $0.uppercased() })
            if let hints = try ConfigReader.hints(value["tags"], "tools") {
                filter.hintsOf[slug] = hints.filter
                approvals.hintsOf[slug] = hints.approvals
            }
        }
    }

    private mutating func readPreload(_ value: JSONValue?) throws(APIError) {
        guard let tools = value?["tools"], tools != .null else { return }
        preload =
            tools.string == "all"
            ? .all : .tools(try ConfigReader.names(tools, "preload").map { $0.uppercased() })
    }

    /// True and false stand for an object with `enable`.
    private mutating func readConnections(_ value: JSONValue?) throws(APIError) {
        guard let value, value != .null else { return }
        managesConnections = value.bool ?? (value["enable"] ?? value["enabled"])?.bool ?? true
        waitsForConnections = value["enable_wait_for_connections"]?.bool ?? false
        callback = value["callback_url"]?.string
        guard callback?.utf8.count ?? 0 <= 2048 else {
            throw RouterFault.badRequest("'callback_url' is too long.", param: "manage_connections")
        }
    }
}

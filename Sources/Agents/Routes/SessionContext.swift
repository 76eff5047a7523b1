internal import JSON

/// What fills the model's context, by Claude Code's own count.
struct SessionContext: Sendable {
    let sessionID: String
    let usedTokens: Int64
    let maximumTokens: Int64?
    let compactsAt: Int64?
    let model: String?
    let parts: [JSONValue]

    /// - Parameter usage: Claude Code's answer.
    init(sessionID: String, _ usage: JSONValue) {
        self.sessionID = sessionID
        usedTokens = usage["totalTokens"]?.integer ?? 0
        maximumTokens = usage["maxTokens"]?.integer
        compactsAt = usage["isAutoCompactEnabled"]?.bool == false ? nil : usage["autoCompactThreshold"]?.integer
        model = usage["model"]?.string
        parts = (usage["categories"]?.array ?? []).filter { $0["name"]?.string != nil && $0["tokens"]?.integer != nil }
    }

    static let shape = ObjectShape<SessionContext>("SessionContext") { it in
        it.member("session_id") { $0.sessionID }
        it.member("used_tokens") { $0.usedTokens }
        it.member("max_tokens") { $0.maximumTokens }
        it.member("compacts_at_tokens") { $0.compactsAt }
        it.member("model") { $0.model }
        it.list("parts", of: part) { $0.parts }
    }

    private static let part = ObjectShape<JSONValue> { it in
        it.member("name") { $0["name"]?.string ?? "" }
        it.member("tokens") { $0["tokens"]?.integer ?? 0 }
    }

    /// The commands of the agent's answer.
    static let commands = ObjectShape<[JSONValue]>("SessionCommands") { it in
        it.list("commands", of: command) { $0 }
    }

    private static let command = ObjectShape<JSONValue> { it in
        it.member("name") { $0["name"]?.string ?? "" }
        it.member("description") { $0["description"]?.string }
        it.member("argument_hint") { $0["argument_hint"]?.string }
    }
}

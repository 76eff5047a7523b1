internal import EventModel
internal import HTTPModel
internal import JSON
internal import Sessions

/// The permissions that an answer grants beyond this one call: only what a person has chosen.
struct PermissionChoices {
    static let acceptEdits = JSONValue.object([
        ("type", .string("setMode")), ("mode", .string("acceptEdits")), ("destination", .string("session")),
    ])

    let rules: AnswerRules

    var suggestions: [JSONValue] { rules.hook["permission_suggestions"]?.array ?? [] }

    func permissions(for body: AnswerBody) throws(APIError) -> [JSONValue] {
        var permissions: [JSONValue] = []
        for choice in body.permissions { permissions.append(contentsOf: try chosen(choice)) }
        let hasRule = permissions.contains { $0["type"]?.string == "addRules" }
        switch body.scope {
        case .session? where !hasRule: permissions.append(try rule("session", isChangedInput: body.updatedInput != nil))
        case .always? where !hasRule:
            permissions.append(try rule("localSettings", isChangedInput: body.updatedInput != nil))
        default: break
        }
        for permission in permissions { try check(permission) }
        let isLasting = permissions.contains { $0["destination"]?.string != "session" }
        guard !isLasting || body.scope == nil || body.scope == .always else {
            throw .unfit("A permission beyond this session needs the scope 'always'.", "scope")
        }
        return permissions
    }

    /// A word selects the suggestions of that type. An object must be one of the suggestions, or a rule for the same
    /// tool.
    private func chosen(_ choice: JSONValue) throws(APIError) -> [JSONValue] {
        if let type = choice.string {
            let named = suggestions.filter { $0["type"]?.string == type }
            guard !named.isEmpty else {
                throw .unfit("'permissions' names a suggestion that was not made.", "permissions")
            }
            return named
        }
        if suggestions.contains(choice) || isRuleForThisTool(choice) { return [choice] }
        throw .unfit("'permissions' holds what was neither suggested nor is a rule for this tool.", "permissions")
    }

    private func isRuleForThisTool(_ choice: JSONValue) -> Bool {
        guard case .object(let members) = choice, !choice.repeatsNames,
            Set(members.map(\.0)) == ["type", "rules", "behavior", "destination"],
            choice["type"]?.string == "addRules", choice["behavior"]?.string == "allow",
            let destination = choice["destination"]?.string, ["session", "localSettings"].contains(destination),
            let added = choice["rules"]?.array, added.count == 1, case .object(let rule) = added[0]
        else { return false }
        return Set(rule.map(\.0)) == ["toolName", "ruleContent"]
            && (added[0]["toolName"]?.string == rules.toolName || isExact(added[0]))
            && added[0]["ruleContent"]?.string.map { !$0.isEmpty && $0.utf8.count <= 4096 } ?? false
    }

    /// A rule for this tool and exactly this input.
    private func rule(_ destination: String, isChangedInput: Bool) throws(APIError) -> JSONValue {
        guard !isChangedInput else {
            throw .unfit("A changed input can be allowed once only.", "scope")
        }
        guard let exact = exactRule else {
            throw .unfit("Claude Code has no rule for exactly this call. Allow it once.", "scope")
        }
        return .object([
            ("type", .string("addRules")),
            (
                "rules",
                .array([.object([("toolName", .string(exact.tool)), ("ruleContent", .string(exact.content))])])
            ), ("behavior", .string("allow")), ("destination", .string(destination)),
        ])
    }

    var exactRule: ExactRule? { ExactRule(tool: rules.toolName, input: rules.input) }
}

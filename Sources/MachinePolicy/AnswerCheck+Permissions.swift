internal import JSON

/// Changes of permissions in an answer, as hooks/lib/permissions.awk checks them. Such a change applies to more than
/// one call.
extension AnswerCheck {
    /// The changes, composed anew. Refuses the answer if the rule does not allow each of them.
    func updates(_ list: JSONValue?) throws(AnswerRefusal) -> [JSONValue] {
        guard let list, list != .null else { return [] }
        guard let items = list.array else { throw AnswerRefusal("permissions that are not a list") }
        var updates: [JSONValue] = []
        for item in items {
            let kind = item["type"]?.string ?? ""
            let members: [(String, JSONValue)] =
                switch kind {
                case "addRules": [("rules", try rules(item)), ("behavior", .string("allow"))]
                case "setMode": [("mode", .string(try mode(item)))]
                case "addDirectories": [("directories", try directories(item))]
                default: throw AnswerRefusal("a change of permissions of the kind \(kind.prefix(40))")
                }
            let destination = JSONValue.string(item["destination"]?.string ?? "")
            updates.append(.object([("type", .string(kind))] + members + [("destination", destination)]))
        }
        return updates
    }

    /// A rule for exactly this call may last for the session. A wider or longer one needs always=yes.
    private func rules(_ item: JSONValue) throws(AnswerRefusal) -> JSONValue {
        let destination = item["destination"]?.string
        guard item["behavior"]?.string == "allow" else { throw AnswerRefusal("a rule that does not allow") }
        guard destination == "session" || destination == "localSettings" else {
            throw AnswerRefusal("a rule for more than this project")
        }
        guard destination == "session" || rule.allowsAlways else {
            throw AnswerRefusal("a rule for ever, which always=no forbids")
        }
        guard let list = item["rules"]?.array, !list.isEmpty else { throw AnswerRefusal("no rules") }
        var composed: [JSONValue] = []
        for one in list {
            let content = one["ruleContent"]
            guard let tool = one["toolName"]?.string, content == nil || content?.string != nil else {
                throw AnswerRefusal("not a rule")
            }
            try checkWidth(one, tool, content?.string)
            composed.append(
                .object([("toolName", .string(tool))] + (content.map { [("ruleContent", $0)] } ?? []))
            )
        }
        return .array(composed)
    }

    private func checkWidth(_ one: JSONValue, _ tool: String, _ content: String?) throws(AnswerRefusal) {
        if let content, isExact(tool, content) { return }
        guard rule.allowsAlways else {
            throw AnswerRefusal("a rule for more than this call, which always=no forbids")
        }
        if isSuggested(rule: one) { return }
        guard rule.rules == "any" else {
            throw AnswerRefusal(
                "a rule that Claude Code did not suggest, though the machine's file does not let devices answer "
                    + "for all calls of the tool"
            )
        }
        guard tool == call.tool, let content, content.utf8.contains(where: { !" *:".utf8.contains($0) }) else {
            throw AnswerRefusal("a rule for another tool or for all of its calls")
        }
    }

    /// Whether the rule matches exactly this call. A path of a directory has no such rule, because its rule matches all
    /// files below it.
    private func isExact(_ tool: String, _ content: String) -> Bool {
        let content = Array(content.utf8)
        if call.tool == "Bash" {
            return tool == "Bash" && ExactCall.command(of: call).map { Array($0.utf8) } == content
        }
        guard let path = ExactCall.path(of: call), content == Array("/\(path)".utf8), !isDirectory(path) else {
            return false
        }
        return tool == (call.tool == "Read" ? "Read" : "Edit")
    }

    private var suggestions: [JSONValue] { call.hook["permission_suggestions"]?.array ?? [] }

    private func isSuggested(rule one: JSONValue) -> Bool {
        suggestions.contains { item in
            item["type"]?.string == "addRules" && item["behavior"]?.string == "allow"
                && (item["rules"]?.array ?? []).contains { AnswerCheck.same($0, one) }
        }
    }

    /// Refuses a change of permissions unless Claude Code suggested it for this session.
    private func checkSuggested(_ item: JSONValue) throws(AnswerRefusal) {
        guard item["destination"]?.string == "session" else {
            throw AnswerRefusal("a change of permissions beyond this session")
        }
        guard suggestions.contains(where: { AnswerCheck.same($0, item) }) else {
            throw AnswerRefusal("a change of permissions that was not suggested")
        }
    }

    private func mode(_ item: JSONValue) throws(AnswerRefusal) -> String {
        let mode = item["mode"]?.string ?? ""
        guard mode == "acceptEdits" || mode == "default" else { throw AnswerRefusal("the mode \(mode.prefix(40))") }
        if call.tool == "ExitPlanMode" {
            guard item["destination"]?.string == "session" else { throw AnswerRefusal("a mode beyond this session") }
        } else {
            try checkSuggested(item)
        }
        guard mode != "acceptEdits" || rule.permits.edits else {
            throw AnswerRefusal("acceptEdits, though the machine's file lets nobody answer for all that it permits")
        }
        return mode
    }

    private func directories(_ item: JSONValue) throws(AnswerRefusal) -> JSONValue {
        try checkSuggested(item)
        guard let list = item["directories"], let paths = list.array, paths.allSatisfy({ $0.string != nil }) else {
            throw AnswerRefusal("no directories")
        }
        guard rule.permits.directories else {
            throw AnswerRefusal("addDirectories, though the machine's file lets nobody answer for all that it permits")
        }
        return list
    }
}

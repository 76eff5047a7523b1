internal import HTTPModel
internal import JSON
internal import Sessions

/// The changes of permissions that the hook of a machine accepts (`hooks/lib/permissions.awk`). The hook prints nothing
/// for an answer with another change, so such an answer is refused here.
extension PermissionChoices {
    func check(_ permission: JSONValue) throws(APIError) {
        let isLasting = permission["destination"]?.string != "session"
        guard !isLasting || rules.policy.terms.allowsAlways else {
            throw .unfit("The machine's own rules do not allow a permission beyond this session.", "scope")
        }
        switch permission["type"]?.string {
        case "addRules": try checkRules(permission)
        case "setMode":
            let mode = permission["mode"]?.string
            guard !isLasting, mode == "acceptEdits" || mode == "default" else {
                throw .unfit("An answer can set the modes default and acceptEdits, for this session.", "permissions")
            }
            try rules.checkMode(mode, "permissions")
        case "addDirectories":
            guard !isLasting, let directories = permission["directories"]?.array,
                directories.allSatisfy({ $0.string != nil })
            else { throw .unfit("An answer can add directories for this session only.", "permissions") }
            guard rules.policy.terms.allowsDirectories else {
                throw .unfit(
                    "The machine's own rules let no device answer for all that an additional directory permits.",
                    "permissions"
                )
            }
        default: throw .unfit("An answer can add rules and directories, and set the mode.", "permissions")
        }
    }

    private func checkRules(_ permission: JSONValue) throws(APIError) {
        guard permission["behavior"]?.string == "allow", let added = permission["rules"]?.array, !added.isEmpty,
            ["session", "localSettings"].contains(permission["destination"]?.string)
        else {
            throw .unfit("An answer can add rules that allow, in this session or in this project.", "permissions")
        }
        for rule in added where !isExact(rule) {
            guard rules.policy.terms.allowsAlways else {
                throw .unfit(
                    "The machine's own rules allow a rule for exactly this call only: its file says always=no.",
                    "permissions"
                )
            }
            if isSuggested(rule) { continue }
            guard isForThisTool(rule) else {
                throw .unfit("The rule is for another tool, or for all calls of this one.", "permissions")
            }
            guard rules.policy.terms.rules == .any else {
                throw .unfit(
                    "Claude Code did not suggest this rule, and the machine's own rules do not let devices answer "
                        + "for all calls of the tool.",
                    "permissions"
                )
            }
        }
    }

    /// Whether the rule matches exactly this call.
    func isExact(_ rule: JSONValue) -> Bool {
        guard let exact = exactRule else { return false }
        return rule["toolName"]?.string == exact.tool && rule["ruleContent"]?.string == exact.content
    }

    /// Whether Claude Code suggests a rule like this one, for whatever time.
    private func isSuggested(_ rule: JSONValue) -> Bool {
        suggestions.contains { suggestion in
            suggestion["type"]?.string == "addRules" && suggestion["behavior"]?.string == "allow"
                && suggestion["rules"]?.array?.contains(rule) ?? false
        }
    }

    private func isForThisTool(_ rule: JSONValue) -> Bool {
        guard let content = rule["ruleContent"]?.string else { return false }
        return rule["toolName"]?.string == rules.toolName && !content.allSatisfy { " *:".contains($0) }
    }
}

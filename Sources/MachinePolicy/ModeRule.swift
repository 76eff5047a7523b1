internal import EventModel

/// Whether a session may run in a permission mode. A mode lets calls run without a question, so besides the file
/// `agent` the approvals file must let the device answer for all of them.
package enum ModeRule {
    /// - Parameter device: the device's id, or `operator`.
    package static func allows(
        _ mode: String,
        _ allowance: AgentFile.Allowance,
        _ approvals: Approvals,
        project: String,
        home: String,
        device: String
    ) -> Bool {
        guard allowance.modes.contains(mode) else { return false }
        switch mode {
        case "default", "plan", "dontAsk": return true
        case "acceptEdits":
            return ["Edit", "Write", "MultiEdit", "NotebookEdit"].allSatisfy { tool in
                [.edit, .credentials].allSatisfy {
                    approvals.lets(device, answer: tool, $0, project: project, home: home)
                }
            }
                && [.edit, .delete, .credentials].allSatisfy {
                    approvals.lets(device, answer: "Bash", $0, project: project, home: home)
                }
        case "auto", "bypassPermissions": return approvals.letsAnswerEverything(device)
        default: return false
        }
    }
}

extension Approvals {
    fileprivate func lets(_ device: String, answer tool: String, _ risk: ToolRisk, project: String, home: String)
        -> Bool
    {
        guard flaw == nil else { return false }
        let rule = rule(
            tool: Array(tool.utf8),
            risk: risk,
            project: Array(project.utf8),
            home: Array(home.utf8)
        )
        return rule.map { $0.lets(device) } ?? true
    }

    fileprivate func letsAnswerEverything(_ device: String) -> Bool {
        flaw == nil && rules.allSatisfy { $0["messages"] != nil || $0.lets(device) }
    }
}

extension Approvals.Rule {
    fileprivate func lets(_ device: String) -> Bool {
        guard text("who") ?? "answer" == "answer", Int(text("hold") ?? "1") != 0 else { return false }
        guard let devices = text("devices") else { return true }
        return devices.split(separator: ",").contains { $0.utf8.elementsEqual(device.utf8) }
    }
}

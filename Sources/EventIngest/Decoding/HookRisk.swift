internal import EventModel
internal import JSON
internal import Risks

/// Reads the values that determine the risk of a prompt, or of a command inside a skill, before they are masked and
/// cut.
enum HookRisk {
    /// Returns `nil` for other events.
    static func risk(of hook: JSONElement, event: HookEventName.Known?, project: String) -> ToolRisk? {
        let tool = hook["tool_name"]?.string ?? ""
        switch event {
        case .permissionRequest, .elicitation, .preSkillShellCommand: break
        case .preToolUse where tool == "AskUserQuestion" || tool == "ExitPlanMode": break
        default: return nil
        }
        let input = hook["tool_input"]
        let call = ToolCall(
            tool: tool.isEmpty && event == .elicitation ? "Elicitation" : tool,
            project: project,
            command: bytes(input?["command"]),
            paths: ToolCall.pathMembers.compactMap { bytes(input?[$0]) },
            patterns: ToolCall.patternMembers(of: tool).compactMap { bytes(input?[$0]) },
            isUnconfined: isSet(input?["dangerouslyDisableSandbox"])
        )
        return RiskTable.shipped.risk(of: call)
    }

    private static func isSet(_ element: JSONElement?) -> Bool {
        guard let element, element.kind != .null else { return false }
        return element.bool != false
    }

    private static func bytes(_ element: JSONElement?) -> [UInt8]? { element?.string.map { Array($0.utf8) } }
}

package import EventModel
package import JSON
internal import Risks

/// What a prompt asks about: the object of a PermissionRequest or Elicitation hook.
package struct PromptCall: Sendable, Equatable {
    package let hook: JSONValue
    /// The project's directory.
    package let project: String
    package let tool: String
    package let input: JSONValue
    package let risk: ToolRisk

    /// - Parameter project: `nil` for the hook's `cwd`.
    package init(hook: JSONValue, project: String? = nil) {
        self.hook = hook
        self.project = project ?? hook["cwd"]?.string ?? ""
        input = hook["tool_input"] ?? .null
        let name = hook["tool_name"]?.string ?? ""
        tool = name.isEmpty && hook["hook_event_name"]?.string == "Elicitation" ? "Elicitation" : name
        risk = PromptCall.risk(tool, input, self.project)
    }

    package var event: String { hook["hook_event_name"]?.string ?? "" }

    private static func risk(_ tool: String, _ input: JSONValue, _ project: String) -> ToolRisk {
        func bytes(_ name: StaticString) -> [UInt8]? { input[name.description]?.string.map { Array($0.utf8) } }
        var isUnconfined = false
        if let flag = input["dangerouslyDisableSandbox"], flag != .null { isUnconfined = flag.bool != false }
        return RiskTable.shipped.risk(
            of: ToolCall(
                tool: tool,
                project: project,
                command: bytes("command"),
                paths: ToolCall.pathMembers.compactMap(bytes),
                patterns: ToolCall.patternMembers(of: tool).compactMap(bytes),
                isUnconfined: isUnconfined
            )
        )
    }
}

internal import EventModel
internal import JSON
internal import Masking

/// The line for one event in a list of events.
enum HookSummary {
    /// - Parameters:
    ///   - name: the event's name, used if no better text is known.
    ///   - risk: shown with a command inside a skill, about which nobody is asked.
    static func line(
        of hook: JSONElement,
        event: HookEventName?,
        name: String,
        policy: ContentPolicy,
        risk: ToolRisk? = nil
    ) -> String {
        var line = SummaryLine()
        if policy == .none {
            line.append(hook["tool_name"])
        } else if event == .known(.preSkillShellCommand) {
            appendSkill(hook, risk, to: &line)
        } else if let known = event?.known {
            append(hook, known, to: &line)
        } else {
            appendUnknown(hook, to: &line)
        }
        if line.isEmpty { _ = line.append([UInt8](name.utf8).span, firstLineOnly: true) }
        if line.isEmpty { line.append("event") }
        return line.finished()
    }

    private static func append(_ hook: JSONElement, _ event: HookEventName.Known, to line: inout SummaryLine) {
        switch event {
        case .preToolUse, .postToolUse, .postToolUseFailure, .postToolBatch, .permissionRequest, .permissionDenied,
            .preSkillShellCommand:
            appendTool(hook, event, to: &line)
        case .userPromptSubmit, .userPromptExpansion, .notification, .messageDisplay, .elicitation, .elicitationResult:
            appendMessage(hook, event, to: &line)
        case .stop, .stopFailure, .subagentStart, .subagentStop, .taskCreated, .taskCompleted, .teammateIdle:
            appendTurn(hook, event, to: &line)
        case .sessionStart, .sessionEnd, .setup, .preCompact, .postCompact, .preModelSwitch, .postModelSwitch:
            appendSession(hook, event, to: &line)
        case .configChange, .worktreeCreate, .worktreeRemove, .instructionsLoaded, .cwdChanged, .fileChanged,
            .directoryAdded:
            appendSurroundings(hook, event, to: &line)
        }
    }

    private static func appendSkill(_ hook: JSONElement, _ risk: ToolRisk?, to line: inout SummaryLine) {
        if line.append(hook["command_name"]) {
            if let risk { line.append(" (\(risk.rawValue))") }
            line.append(": ")
        }
        ToolSummary.append(hook, to: &line, named: false)
    }

    private static func appendTool(_ hook: JSONElement, _ event: HookEventName.Known, to line: inout SummaryLine) {
        switch event {
        case .postToolBatch:
            var count = 0
            for call in hook["tool_calls"]?.elements ?? hook.elements {
                count += 1
                if count <= 5 { line.append(", ", call["tool_name"]) }
            }
            if count > 5 { line.append(" and \(count - 5) more") }
        case .postToolUseFailure:
            ToolSummary.append(hook, to: &line, named: false)
            line.append(": ", hook["error"], firstLineOnly: true)
        case .permissionDenied:
            ToolSummary.append(hook, to: &line, named: true)
            line.append(" – ", hook["reason"], firstLineOnly: true)
        default: ToolSummary.append(hook, to: &line, named: event == .permissionRequest)
        }
    }

    private static func appendMessage(_ hook: JSONElement, _ event: HookEventName.Known, to line: inout SummaryLine) {
        switch event {
        case .userPromptSubmit: line.append(hook["prompt"], firstLineOnly: true)
        case .userPromptExpansion:
            if let command = hook["command_name"] {
                line.append("/")
                line.append(command)
                line.append(" ", hook["command_args"], firstLineOnly: true)
            } else {
                line.append(hook["prompt"], firstLineOnly: true)
            }
        case .messageDisplay: line.append(hook["delta"], firstLineOnly: true)
        case .elicitation:
            line.append(hook["mcp_server_name"])
            line.append(": ", hook["message"], firstLineOnly: true)
        case .elicitationResult:
            line.append(hook["mcp_server_name"])
            line.append(": ", hook["action"])
        default:
            if !line.append(hook["message"], firstLineOnly: true) { line.append(hook["notification_type"]) }
        }
    }

    private static func appendTurn(_ hook: JSONElement, _ event: HookEventName.Known, to line: inout SummaryLine) {
        switch event {
        case .stop: line.append(hook["last_assistant_message"], firstLineOnly: true)
        case .stopFailure:
            line.append(hook["error"])
            let details = hook["error_details"] ?? hook["last_assistant_message"]
            line.append(": ", details, firstLineOnly: true)
        case .subagentStart: line.append(hook["agent_type"])
        case .subagentStop:
            line.append(hook["agent_type"])
            line.append(": ", hook["last_assistant_message"], firstLineOnly: true)
        case .teammateIdle: line.append(hook["teammate_name"])
        default: line.append(hook["task_subject"], firstLineOnly: true)
        }
    }

    private static func appendSession(_ hook: JSONElement, _ event: HookEventName.Known, to line: inout SummaryLine) {
        switch event {
        case .sessionStart:
            line.append(hook["source"])
            line.append(", ", hook["model"])
        case .sessionEnd: line.append(hook["reason"])
        case .postCompact:
            line.append(hook["trigger"])
            line.append(": ", hook["compact_summary"], firstLineOnly: true)
        case .preCompact:
            line.append(hook["trigger"])
            line.append(": ", hook["custom_instructions"], firstLineOnly: true)
        case .preModelSwitch, .postModelSwitch:
            line.append(hook["from_model"])
            line.append(" → ", hook["to_model"])
        default: line.append(hook["trigger"])
        }
    }

    private static func appendSurroundings(
        _ hook: JSONElement,
        _ event: HookEventName.Known,
        to line: inout SummaryLine
    ) {
        switch event {
        case .configChange:
            line.append(hook["source"])
            line.append(": ", hook["file_path"])
        case .worktreeCreate: line.append(hook["name"])
        case .worktreeRemove: line.append(hook["worktree_path"])
        case .cwdChanged: line.append(hook["new_cwd"])
        case .fileChanged:
            line.append(hook["event"])
            line.append(" ", hook["file_path"])
        case .directoryAdded: line.append(hook["directory"])
        default: line.append(hook["file_path"])
        }
    }

    private static func appendUnknown(_ hook: JSONElement, to line: inout SummaryLine) {
        for name in ["message", "summary", "prompt", "title"] as [StaticString] {
            if line.append(hook[name], firstLineOnly: true) { return }
        }
        ToolSummary.append(hook, to: &line, named: false)
    }
}

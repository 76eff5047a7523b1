internal import EventModel
internal import JSON

/// The facts that only the stored payload of a hook event contains. The content policy may have removed any of them.
package struct HookDetails: Sendable, Equatable {
    /// Maximum bytes of a text that is kept with a prompt.
    static let textBytes = 400

    package var sessionTitle: String?
    /// The first question of a tool call that asks a person.
    package var question: String?
    /// The message of a Notification or Elicitation.
    package var message: String?
    /// Whether the UserPromptSubmit event has a text.
    package var hasPromptText = false
    package var isInterrupt = false
    /// The tool's run time.
    package var durationSeconds: Double?
    /// The ids of the background tasks that run when an agent stops, and whose result the session will get. `nil` if
    /// the CLI does not report them. At most `maximumTasks`.
    package var backgroundTasks: [String]?
    static let maximumTasks = 32
    /// Identifies an elicitation: its id, or else the name of the MCP server.
    package var elicitationID: String?
    /// Claude's id of a turn, shared by all events between two inputs of a person. CLIs before 2.1.196 do not send
    /// it.
    package var turnID: String?
    /// On a Stop event, whether a Stop hook has already continued the turn.
    package var isStopHookActive = false

    init() {}

    init(_ event: MonitorEvent, of name: HookEventName.Known) {
        // If the payload cannot be parsed, only the event's own fields are used.
        try? JSONParser().withDocument(event.payload) { read($0, of: name, tool: event.toolName) }
    }

    private mutating func read(_ hook: JSONElement, of name: HookEventName.Known, tool: String?) {
        sessionTitle = HookDetails.word(hook["session_title"])
        elicitationID = HookDetails.word(hook["elicitation_id"]) ?? HookDetails.word(hook["mcp_server_name"])
        turnID = HookDetails.word(hook["prompt_id"])
        isStopHookActive = hook["stop_hook_active"]?.bool ?? false
        isInterrupt = hook["is_interrupt"]?.bool ?? false
        if let milliseconds = hook["duration_ms"]?.double, milliseconds >= 0 { durationSeconds = milliseconds / 1000 }
        switch name {
        case .userPromptSubmit: hasPromptText = hook["prompt"]?.utf8Count ?? 0 > 0
        case .preToolUse, .permissionRequest:
            // Another tool's input may hold questions that hide what it does.
            guard tool == "AskUserQuestion" else { break }
            let asked = hook["tool_input"]?["questions"]?.elements.first { _ in true }
            question = HookDetails.text(asked?["question"])
        case .notification, .elicitation: message = HookDetails.text(hook["message"])
        case .stop, .subagentStop: backgroundTasks = hook["background_tasks"].flatMap(HookDetails.tasks)
        default: break
        }
    }

    /// The running tasks without shells and monitors. These may run indefinitely, and their end finishes nothing. A
    /// task without an id gets its place in the list as id.
    private static func tasks(_ tasks: JSONElement) -> [String]? {
        guard tasks.isArray else { return nil }
        var ids: [String] = []
        for task in tasks.elements where ids.count < maximumTasks {
            guard task["status"]?.string ?? "running" == "running" else { continue }
            switch task["type"]?.string {
            case "shell", "monitor": continue
            default: ids.append(word(task["id"]) ?? "#\(ids.count)")
            }
        }
        return ids
    }

    /// Returns a string of at most 200 bytes. A longer string is not a name and gives `nil`.
    private static func word(_ element: JSONElement?) -> String? {
        guard let element, let length = element.utf8Count, length <= 200 else { return nil }
        return element.string
    }

    private static func text(_ element: JSONElement?) -> String? {
        element?.string.map { $0.cut(to: HookDetails.textBytes) }
    }
}

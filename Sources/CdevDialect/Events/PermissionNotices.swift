import EventModel
import JSON
import Sessions

/// A tool that waits for permission, in the two forms that cdev's clients show, and its end.
enum PermissionNotices {
    /// Answers that the dialog offers, for `permission/respond`.
    private static let options = [
        ("allow_once", "Allow once", "Run this one call"),
        ("allow_session", "Allow for the session", "Run this and like calls until the session ends"),
        ("deny", "Deny", "Do not run it"),
    ]

    /// A plan is approved once.
    private static func options(of prompt: Prompt) -> [(String, String, String)] {
        prompt.kind == .plan ? options.filter { $0.0 != "allow_session" } : options
    }

    private static func plan(_ prompt: Prompt, _ input: JSONValue) -> String? {
        prompt.kind == .plan ? input["plan"]?.string : nil
    }

    static func opened(_ prompt: Prompt, _ event: MonitorEvent, _ payload: JSONValue) -> [DerivedEvent] {
        let tool = prompt.toolName ?? "tool"
        let input = payload["tool_input"] ?? .object([])
        let target = target(of: tool, input) ?? event.summary
        let description = plan(prompt, input) ?? input["description"]?.string ?? event.summary
        let shownWhole = event.facts.shownWhole
        // The app shows the preview above its buttons, so the preview has what the target lacks.
        let preview = shownWhole.contains(.summary) ? target : input.text
        let asked = DerivedEvent("claude_permission") { writer in
            writer.field("tool_use_id", prompt.toolUseID)
            writer.field("request_id", prompt.toolUseID)
            writer.field("tool_name", tool)
            writer.field("tool", tool)
            writer.field("input", input.text)
            writer.field("description", description)
            writer.field("complete", shownWhole.contains(.payload))
        }
        let dialog = DerivedEvent("pty_permission") { writer in
            writer.field("tool_use_id", prompt.toolUseID)
            writer.field("type", kind(of: tool))
            writer.field("target", target)
            writer.field("description", description)
            writer.field("preview", preview)
            writer.field("complete", shownWhole.contains(.summary))
            writer.field("session_id", event.sessionID)
            writer.beginArray("options")
            for (index, option) in options(of: prompt).enumerated() {
                writer.beginObject()
                writer.field("key", option.0)
                writer.field("label", option.1)
                writer.field("description", option.2)
                writer.field("selected", (index == 0))
                writer.endObject()
            }
            writer.endArray()
        }
        let waiting = DerivedEvent("claude_status") { $0.field("state", "waiting") }
        return [asked, dialog, waiting]
    }

    /// The event with which cdev's clients close their banner.
    static func closed(_ prompt: Prompt) -> DerivedEvent {
        DerivedEvent("pty_permission_resolved") { writer in
            writer.field("tool_use_id", prompt.toolUseID)
            writer.field("session_id", prompt.sessionID)
            writer.field("resolved_by", prompt.answer?.answerer.rawValue ?? "terminal")
            writer.field("decision", prompt.decision?.rawValue)
        }
    }

    private static func target(of tool: String, _ input: JSONValue) -> String? {
        switch kind(of: tool) {
        case "bash_command": input["command"]?.string
        case "write_file", "edit_file": input["file_path"]?.string
        case "mcp_tool": nil
        default: input["file_path"]?.string ?? input["url"]?.string
        }
    }

    private static func kind(of tool: String) -> String {
        switch tool {
        case "Bash": "bash_command"
        case "Write": "write_file"
        case "Edit", "MultiEdit", "NotebookEdit": "edit_file"
        case _ where tool.hasPrefix("mcp__"): "mcp_tool"
        default: "unknown"
        }
    }
}

package import JSON
internal import Masking

/// Describes a tool call in one line.
package enum ToolSummary {
    /// The most descriptive members of a tool's input, best first.
    private static let telling: [StaticString] = [
        "command", "file_path", "notebook_path", "path", "url", "pattern", "query", "description", "skill", "name",
        "title", "subject", "message", "prompt", "id", "shell_id", "task_id",
    ]

    /// Well-known tools, whose name the line can omit.
    private static func isFamiliar(_ tool: JSONElement) -> Bool {
        familiar.contains { tool.equals($0) }
    }

    private static let familiar: [StaticString] = [
        "Bash", "Edit", "Write", "Read", "MultiEdit", "NotebookEdit", "PowerShell", "Agent", "Task", "WebFetch",
        "WebSearch", "Grep", "Glob", "AskUserQuestion",
    ]

    /// Returns the line for a call, given the tool's name and its input.
    package static func line(tool: String, input: JSONValue) -> String {
        var call = JSONWriter()
        call.beginObject()
        call.field("tool_name", tool)
        call.field("tool_input", input)
        call.endObject()
        let line = try? JSONParser().withDocument(call.bytes) { hook in
            var line = SummaryLine()
            append(hook, to: &line, named: false)
            return line.finished()
        }
        return line ?? tool
    }

    /// Appends `npm test` for Bash, `Skill: review` for others. If `named` is true, the tool's name precedes both.
    static func append(_ hook: JSONElement, to line: inout SummaryLine, named: Bool) {
        guard let tool = hook["tool_name"], tool.kind == .string else { return }
        let target = target(tool: tool, input: hook["tool_input"])
        if let target, !named, isFamiliar(tool), line.append(target) { return }
        line.append(tool)
        line.append(": ", target)
    }

    private static func target(tool: JSONElement, input: JSONElement?) -> JSONElement? {
        guard let input else { return nil }
        if input.kind == .string { return input }
        if tool.equals("AskUserQuestion") {
            return input["questions"]?.elements.lazy.compactMap { $0["question"] }.first
        }
        let own = ownMembers(of: tool)
        for name in own ?? telling {
            if let value = text(input[name]) { return value }
        }
        guard own == nil else { return nil }
        return input.members.lazy
            .filter { $0.value.kind == .string && !SecretMembers.isSecret($0.name, value: $0.value, of: input) }
            .map(\.value).first
    }

    /// The member of the input that the line shows. `nil` if the line shows none, or one whose name tells nothing.
    static func shownMember(tool: JSONElement, input: JSONElement) -> StaticString? {
        if tool.equals("AskUserQuestion") { return nil }
        return (ownMembers(of: tool) ?? telling).first { text(input[$0]) != nil }
    }

    /// The members that the line may show for this tool, best first; `nil` if it may show any member.
    private static func ownMembers(of tool: JSONElement) -> [StaticString]? {
        own.first { own in own.tools.contains { tool.equals($0) } }?.members
    }

    private static let own: [(tools: [StaticString], members: [StaticString])] = [
        (["Agent", "Task"], ["description", "prompt"]), (["ExitPlanMode"], ["plan"]), (["Grep", "Glob"], ["pattern"]),
    ]

    private static func text(_ element: JSONElement?) -> JSONElement? {
        guard let element, let length = element.utf8Count, length > 0 else { return nil }
        return element
    }
}

internal import JSON

/// `approve`, which Claude Code calls with `--permission-prompt-tool`.
enum ApproveTool {
    static let name = "approve"

    /// The tool as clients get it.
    static let json: [UInt8] = Array(
        """
        {"name":"approve","title":"Approve","description":"Asks a person whether a call of a tool may run, for \
        Claude Code's option --permission-prompt-tool. Models cannot use it.","inputSchema":{"type":"object",\
        "properties":{"tool_name":{"type":"string","description":"The tool that is called."},"input":{"type":"object",\
        "description":"What it is called with."},"tool_use_id":{"type":"string","description":"The id of the call."}},\
        "required":["tool_name","input","tool_use_id"]},"annotations":{"title":"Approve","readOnlyHint":false,\
        "destructiveHint":false,"idempotentHint":true,"openWorldHint":false}}
        """.utf8
    )

    /// The one text that Claude Code reads. It never has an input, so Claude Code runs the call with its own.
    ///
    /// - Returns: `nil` if another connection gets the answer.
    static func output(_ answer: PersonAnswer) -> ToolOutput? {
        var writer = JSONWriter()
        writer.beginObject()
        switch answer {
        case .allowed(let permissions):
            writer.field("behavior", "allow")
            if !permissions.isEmpty { writer.field("updatedPermissions", .array(permissions)) }
        case .denied(let message, let isInterrupt):
            writer.field("behavior", "deny")
            writer.field("message", message)
            if isInterrupt { writer.field("interrupt", true) }
        case .replied:
            writer.field("behavior", "deny")
            writer.field("message", "This was no question.")
        case .elsewhere: return nil
        }
        writer.endObject()
        return ToolOutput(text: String(decoding: writer.bytes, as: UTF8.self))
    }
}

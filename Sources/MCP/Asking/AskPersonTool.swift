internal import JSON

/// The tool `ask_person`: a model asks a person a question and waits for the answer.
enum AskPersonTool {
    static let name = "ask_person"
    static let arguments: Set<String> = ["question", "choices", "timeout_seconds"]

    /// The tool as clients get it.
    static let json: [UInt8] = Array(
        """
        {"name":"ask_person","title":"Ask a person","description":"Asks the person who runs this session a question, \
        on their phone or browser, and waits for the answer. Use it if the work cannot go on without it. The person \
        may choose or answer in other words. With answered false, nobody answered: go on without, or stop and say \
        so.",\
        "inputSchema":{"type":"object","properties":{"question":{"type":"string","minLength":1,"maxLength":2000,\
        "description":"The question, with all that is needed to answer it."},"choices":{"type":"array","maxItems":4,\
        "items":{"type":"string","minLength":1,"maxLength":200},"description":"Answers to choose from."},\
        "timeout_seconds":{"type":"integer","minimum":1,"maximum":3600,"description":"How long to wait; 600 by \
        default."}},"required":["question"],"additionalProperties":false},"annotations":{"title":"Ask a person",\
        "readOnlyHint":false,"destructiveHint":false,"idempotentHint":false,"openWorldHint":false}}
        """.utf8
    )

    /// - Returns: `nil` if another connection gets the answer.
    static func output(_ answer: PersonAnswer, to choices: [String]) -> ToolOutput? {
        var writer = JSONWriter()
        writer.beginObject()
        switch answer {
        case .replied(let reply):
            writer.field("answered", true)
            writer.field("answer", reply.text)
            writer.field("is_choice", choices.contains { $0.utf8.elementsEqual(reply.text.utf8) })
            writer.field("note", reply.note)
        case .denied(let message, _):
            writer.field("answered", false)
            writer.field("reason", message)
        case .allowed:
            writer.field("answered", false)
            writer.field("reason", "The person gave no answer.")
        case .elsewhere: return nil
        }
        writer.endObject()
        return ToolOutput(writer.bytes)
    }
}

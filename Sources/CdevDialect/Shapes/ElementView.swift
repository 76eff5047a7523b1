import EventModel
import JSON

/// A message as an element of a chat view.
struct ElementView {
    let event: CommittedEvent
    let role: ClaudeMessage.Role
    let block: ClaudeMessage.Block
    /// Of a tool call: whether it failed, as far as its result is on the same page.
    let isError: Bool?

    var id: String { String(event.seq) }

    /// - Parameter events: in the order of the log.
    static func all(of events: some Collection<CommittedEvent>) -> [ElementView] {
        var outcomes: [String: Bool] = [:]
        let messages = events.map { ($0, ClaudeMessage($0.event, payload: $0.event.payloadValue)) }
        for case (_, let message?) in messages {
            if case .toolResult(let id, _, let isError)? = message.blocks.first { outcomes[id] = isError }
        }
        return messages.compactMap { event, message in
            guard let message, let block = message.blocks.first else { return nil }
            var isError: Bool?
            if case .toolUse(let id, _, _) = block { isError = outcomes[id] }
            return ElementView(event: event, role: message.role, block: block, isError: isError)
        }
    }

    static let shape = ObjectShape<ElementView>("Element") { it in
        it.member("id") { $0.id }
        it.member("type", as: JSONSchema.words("user_input", "assistant_text", "tool_call", "tool_result")) { $0.type }
        it.member("timestamp") { $0.event.event.timestamp }
        it.custom("content", JSONSchema.either([text.schema, call.schema, result.schema])) { $0.write(to: &$1) }
    }

    private var type: String {
        switch block {
        case .text: role == .user ? "user_input" : "assistant_text"
        case .toolUse: "tool_call"
        case .toolResult: "tool_result"
        }
    }

    /// Clients need every member of an element's content.
    private func write(to writer: inout JSONWriter) {
        switch block {
        case .text(let text): ElementView.text.write(text, to: &writer)
        case .toolUse(let id, let name, let input): ElementView.call.write((self, id, name, input), to: &writer)
        case .toolResult(let id, let content, let isError):
            ElementView.result.write((self, id, content, isError), to: &writer)
        }
    }

    private static let text = ObjectShape<String> { it in it.member("text") { $0 } }

    private typealias Call = (element: ElementView, id: String, name: String, input: JSONValue)

    private static let call = ObjectShape<Call> { it in
        it.member("tool") { $0.name }
        it.member("tool_id") { $0.id }
        it.member("display") { $0.element.event.event.summary }
        it.custom("params", #"{"type":"object","additionalProperties":\#(JSONSchema.text)}"#) { call, writer in
            writer.beginObject()
            if case .object(let members) = call.input {
                for (name, value) in members {
                    writer.key(named: name)
                    writer.string(value.string ?? value.text)
                }
            }
            writer.endObject()
        }
        it.member("status", as: JSONSchema.words("running", "completed", "error")) {
            $0.element.isError.map { $0 ? "error" : "completed" } ?? "running"
        }
    }

    private typealias Result = (element: ElementView, id: String, content: String, isError: Bool)

    private static let result = ObjectShape<Result> { it in
        it.member("tool_call_id") { $0.id }
        it.member("tool_name") { $0.element.event.event.toolName ?? "" }
        it.member("is_error") { $0.isError }
        it.member("summary") { $0.element.event.event.summary }
        it.member("full_content") { $0.content }
        it.member("line_count") { $0.content.utf8.reduce(1) { $1 == UInt8(ascii: "\n") ? $0 + 1 : $0 } }
        it.member("expandable") { !$0.content.isEmpty }
        it.member("truncated") { $0.content.contains("… [+") }
    }
}

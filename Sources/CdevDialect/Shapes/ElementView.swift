import EventModel
import JSON
import Transcripts

/// A block of a message as an element of a chat view.
struct ElementView {
    let place: ElementPlace
    let message: ConversationMessage
    let block: MessageBlock
    /// Whether a tool call failed; `nil` if its result is not on the same page.
    let isError: Bool?
    /// The tool that a result belongs to; `nil` if neither a hook nor the call on the same page names it.
    let toolName: String

    var id: String { place.text }

    /// - Parameter messages: in the order of the conversation.
    static func all(of messages: some Collection<ConversationMessage>) -> [ElementView] {
        var outcomes: [String: Bool] = [:]
        var tools: [String: String] = [:]
        for block in messages.lazy.flatMap(\.blocks) {
            switch block {
            case .toolResult(let id, _, let isError): outcomes[id] = isError
            case .toolUse(let id, let name, _): tools[id] = name
            default: break
            }
        }
        return messages.flatMap { message in
            message.blocks.enumerated().map { index, block in
                var (isError, tool) = (Bool?.none, message.toolName ?? "")
                if case .toolUse(let id, _, _) = block { isError = outcomes[id] }
                if case .toolResult(let id, _, _) = block { tool = message.toolName ?? tools[id] ?? "" }
                let place = ElementPlace(of: message, block: index)
                return ElementView(place: place, message: message, block: block, isError: isError, toolName: tool)
            }
        }
    }

    static let shape = ObjectShape<ElementView>("Element") { it in
        it.member("id") { $0.id }
        it.member(
            "type",
            as: JSONSchema.words("user_input", "assistant_text", "assistant_thinking", "tool_call", "tool_result")
        ) { $0.type }
        it.member("timestamp") { $0.message.place.at }
        it.custom("content", JSONSchema.either([text.schema, call.schema, result.schema])) { $0.write(to: &$1) }
    }

    private var type: String {
        switch block {
        case .text, .image: message.cdevRole == .user ? "user_input" : "assistant_text"
        case .thinking: "assistant_thinking"
        case .toolUse: "tool_call"
        case .toolResult: "tool_result"
        }
    }

    /// Clients need every member of an element's content.
    private func write(to writer: inout JSONWriter) {
        switch block {
        case .text(let text), .thinking(let text): ElementView.text.write(text, to: &writer)
        case .image: ElementView.text.write(block.cdevText, to: &writer)
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
        it.member("display") { $0.element.message.summary ?? $0.element.block.summary }
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
        it.member("tool_name") { $0.element.toolName }
        it.member("is_error") { $0.isError }
        it.member("summary") { $0.element.message.summary ?? $0.element.block.summary }
        it.member("full_content") { $0.content }
        it.member("line_count") { $0.content.utf8.reduce(1) { $1 == UInt8(ascii: "\n") ? $0 + 1 : $0 } }
        it.member("expandable") { !$0.content.isEmpty }
        it.member("truncated") { $0.content.contains("… [+") }
    }
}

/// The id of an element: the `seq` of a hook event, or a block of the transcript's message.
enum ElementPlace: Equatable {
    case event(Int64)
    case block(ConversationPlace, Int)

    init(of message: ConversationMessage, block: Int) {
        self = message.seq.map { .event($0) } ?? .block(message.place, block)
    }

    init?(_ numbers: [Int64]?) {
        guard let numbers else { return nil }
        switch numbers.count {
        case 1: self = .event(numbers[0])
        case 3:
            let place = ConversationPlace(at: Timestamp(microseconds: numbers[0]), line: numbers[1])
            self = .block(place, Int(numbers[2]))
        default: return nil
        }
    }

    var text: String {
        switch self {
        case .event(let seq): "\(seq)"
        case .block(let place, let block): "\(place.at.microseconds)~\(place.line)~\(block)"
        }
    }
}

internal import HTTPModel
internal import JSON

/// The messages of a chat in Claude's form, as they are read one by one. Each call of the model has one result, and the
/// results follow the calls.
struct ChatHistory {
    private(set) var turns: [(role: String, content: JSONValue)] = []
    /// The calls of the latest message of the model that have no result yet.
    private var owed: Set<String> = []
    /// The results since that message.
    private var results: [JSONValue] = []
    private var seen: Set<String> = []

    private static let mostArgumentLevels = 32

    mutating func add(user content: JSONValue, _ place: String) throws(APIError) {
        try requireResults(place)
        guard !results.isEmpty else {
            turns.append(("user", content))
            return
        }
        // The results and what follows them are one message.
        results += content.array ?? [.object([("type", .string("text")), ("text", content)])]
        addResults()
    }

    mutating func add(assistant message: JSONValue, _ place: String) throws(APIError) {
        try requireResults(place)
        addResults()
        let text = try ChatContent.text(message["content"], place)
        let calls = try (message["tool_calls"]?.array ?? []).enumerated().map { index, call throws(APIError) in
            try block(of: call, "\(place).tool_calls[\(index)]")
        }
        guard !calls.isEmpty else {
            if !text.isEmpty { turns.append(("assistant", .string(text))) }
            return
        }
        let words: [JSONValue] =
            text.isEmpty ? [] : [.object([("type", .string("text")), ("text", .string(text))])]
        turns.append(("assistant", .array(words + calls)))
    }

    private mutating func block(of call: JSONValue, _ place: String) throws(APIError) -> JSONValue {
        guard let id = call["id"]?.string, id.isWord(atMost: 128), let name = call["function"]?["name"]?.string,
            ChatFunctions.isName(name), seen.insert(id).inserted
        else { throw .refused(.messages, "A call needs an id of its own and the name of a function.", at: place) }
        let text = call["function"]?["arguments"]?.string ?? ""
        let parsed = try? JSONValue.parse(
            Array((text.isEmpty ? "{}" : text).utf8),
            maxDepth: ChatHistory.mostArgumentLevels
        )
        guard let arguments = parsed, arguments.isObject else {
            throw .refused(.messages, "The arguments of a call must be the text of a JSON object.", at: place)
        }
        owed.insert(id)
        return .object([
            ("type", .string("tool_use")), ("id", .string(id)), ("name", .string(ChatFunctions.prefix + name)),
            ("input", arguments),
        ])
    }

    mutating func add(tool message: JSONValue, _ place: String) throws(APIError) {
        guard let id = message["tool_call_id"]?.string, owed.remove(id) != nil else {
            throw .refused(
                .messages,
                "The result must follow the model's call that 'tool_call_id' names, once.",
                at: place + ".tool_call_id"
            )
        }
        let text = try ChatContent.text(message["content"], place)
        var members: [(String, JSONValue)] = [("type", .string("tool_result")), ("tool_use_id", .string(id))]
        // The API takes no empty text.
        if !text.isEmpty {
            members.append(("content", .array([.object([("type", .string("text")), ("text", .string(text))])])))
        }
        results.append(.object(members))
    }

    /// The model's message as the next request will have it. `nil` if it says nothing.
    static func answer(_ text: String, _ calls: [ChatFunctionCall] = []) -> JSONValue? {
        var history = ChatHistory()
        let calls = calls.map { call in
            let function = JSONValue.object([("name", .string(call.name)), ("arguments", .string(call.arguments))])
            return JSONValue.object([("id", .string(call.id)), ("function", function)])
        }
        let message = JSONValue.object([("content", .string(text)), ("tool_calls", .array(calls))])
        try? history.add(assistant: message, "")
        return history.turns.last.map { ChatRequest.message($0.role, $0.content) }
    }

    mutating func finish() throws(APIError) {
        try requireResults("messages")
        addResults()
    }

    private mutating func addResults() {
        guard !results.isEmpty else { return }
        turns.append(("user", .array(results)))
        results = []
    }

    private func requireResults(_ place: String) throws(APIError) {
        guard let first = owed.min() else { return }
        throw .refused(.messages, "The call '\(first)' has no result.", at: place)
    }
}

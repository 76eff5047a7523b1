internal import API
package import HTTPModel
package import JSON

/// A request for a chat, as far as it is honoured.
package struct ChatRequest: Sendable, Equatable {
    package var model: String?
    package var systemPrompt: String?
    /// What was said before, as objects with `role` and `content` in Claude's form.
    package var history: [JSONValue]
    /// What is to be answered, in Claude's form.
    package var content: JSONValue
    package var isStream: Bool
    package var includesUsage: Bool
    package var mostTokens: Int64?
    package var stopSequences: [String]
    package var effort: String?
    package var sampling = ChatSampling()
    /// Whether the turn goes on without a connection; `nil` if the request does not say.
    package var continuesAlone: Bool?
    package var functions: ChatFunctions
    /// The JSON Schema of the answer; `nil` for text.
    package var schema: JSONValue?
    /// The names of fields that do not count.
    package var ignored: [String]

    private static let depth = 64
    private static let mostIgnored = 32
    private static let mostModelBytes = 128
    private static let mostStopSequences = 4

    package init(_ body: [UInt8]) throws(APIError) {
        try self.init(try ChatRequest.json(body))
    }

    static func json(_ body: [UInt8]) throws(APIError) -> JSONValue {
        try JSONValue(object: body, maxDepth: depth)
    }

    /// - Parameter passesSampling: whether `temperature` and `top_p` are honoured in plain chats.
    init(_ json: JSONValue, isOfProject: Bool = false, passesSampling: Bool = false) throws(APIError) {
        try ChatRequest.checkRefused(json)
        if !isOfProject, json[ChatField.mcp.rawValue].map({ $0 != .null }) ?? false {
            throw .refused(.mcp, "Plain chats do not have 'mcp': Claude has no tools in them.")
        }
        ignored = ChatRequest.ignored(json)
        isStream = try json.flag(.stream) ?? false
        let options = json[ChatField.streamOptions.rawValue]
        includesUsage = options?["include_usage"]?.bool ?? false
        model = try json.text(.model).flatMap { $0.isEmpty ? nil : $0 }
        if let model, model.utf8.count > ChatRequest.mostModelBytes {
            throw .invalid(
                "invalid_parameter",
                "'model' has at most \(ChatRequest.mostModelBytes) bytes.",
                param: "model"
            )
        }
        let most = (try json.count(.maxTokens), try json.count(.maxCompletionTokens))
        mostTokens = most.1 ?? most.0
        stopSequences = try ChatRequest.stopSequences(json)
        continuesAlone = try ChatRequest.continuesAlone(json)
        functions = try ChatFunctions(json)
        schema = try ChatSchema.ofAnswer(json)
        effort = functions.isForced ? nil : try ChatRequest.effort(json)
        // A model that thinks takes neither.
        if passesSampling, !isOfProject, effort == nil {
            sampling = try ChatSampling(json)
            ignored.removeAll(where: sampling.names.contains)
        }
        let conversation = try ChatConversation(json)
        let prompts = [try json.text(.systemPrompt)].compactMap(\.self) + conversation.systemPrompts
        systemPrompt = prompts.isEmpty ? nil : prompts.joined(separator: "\n\n")
        (history, content) = (conversation.history, conversation.content)
    }

    private static func stopSequences(_ json: JSONValue) throws(APIError) -> [String] {
        guard let value = json[ChatField.stop.rawValue], value != .null else { return [] }
        let texts = value.string.map { [$0] } ?? value.array?.compactMap(\.string) ?? []
        guard texts.count == value.array?.count ?? 1, texts.count <= mostStopSequences,
            texts.allSatisfy({ !$0.isEmpty && !$0.utf8.contains(0) && $0.utf8.count <= 1000 })
        else {
            throw .refused(.stop, "'stop' must be a text, or at most \(mostStopSequences) texts.")
        }
        return texts
    }

    private static func continuesAlone(_ json: JSONValue) throws(APIError) -> Bool? {
        switch try json.text(.onDisconnect) {
        case nil: return nil
        case "continue": return true
        case "interrupt": return false
        default: throw .refused(.onDisconnect, "'on_disconnect' must be interrupt or continue.")
        }
    }

    private static func effort(_ json: JSONValue) throws(APIError) -> String? {
        guard let word = try json.text(.reasoningEffort) else { return nil }
        switch word {
        case "none": return nil
        case "minimal": return "low"
        case "low", "medium", "high", "xhigh", "max": return word
        default:
            throw .refused(
                .reasoningEffort,
                "'reasoning_effort' must be none, minimal, low, medium, high, xhigh or max."
            )
        }
    }

    /// What the answer would not do is refused, unless it asks for what is done anyway.
    private static func checkRefused(_ json: JSONValue) throws(APIError) {
        for field in ChatField.allCases where field.treatment == .refused {
            guard let value = json[field.rawValue], !field.asksForNothing(value) else { continue }
            throw .refused(field, "Plain chats do not have '\(field.rawValue)'.")
        }
    }

    private static func ignored(_ json: JSONValue) -> [String] {
        guard case .object(let members) = json else { return [] }
        var names: [String] = []
        for (name, value) in members where value != .null && names.count < mostIgnored && !names.contains(name) {
            let field = ChatField(rawValue: name)
            guard field == nil || field?.treatment == .ignored, name.isHeaderWord else { continue }
            names.append(name)
        }
        return names
    }
}

extension ChatField {
    func asksForNothing(_ value: JSONValue) -> Bool {
        switch (self, value) {
        case (_, .null): true
        case (.n, _): value.integer == 1
        case (.logprobs, _): value == .bool(false)
        case (.topLogprobs, _): value.integer == 0
        case (.modalities, _): value == .array([.string("text")])
        case (.functions, .array(let list)): list.isEmpty
        case (.functionCall, _): value == .string("none") || value == .string("auto")
        default: false
        }
    }
}

extension APIError {
    static func refused(_ field: ChatField, _ message: String, at place: String? = nil) -> APIError {
        .invalid("invalid_parameter", message, param: place ?? field.rawValue)
    }
}

extension String {
    fileprivate var isHeaderWord: Bool {
        (1...64).contains(utf8.count)
            && unicodeScalars.allSatisfy {
                $0.isASCII && ($0.properties.isAlphabetic || $0.value == 95 || $0.value == 45)
            }
    }
}

extension JSONValue {
    /// `nil` if the member is missing or null.
    func text(_ field: ChatField) throws(APIError) -> String? {
        guard let value = self[field.rawValue], value != .null else { return nil }
        guard let text = value.string else { throw .refused(field, "'\(field.rawValue)' must be a text.") }
        return text
    }

    func flag(_ field: ChatField) throws(APIError) -> Bool? {
        guard let value = self[field.rawValue], value != .null else { return nil }
        guard let flag = value.bool else { throw .refused(field, "'\(field.rawValue)' must be true or false.") }
        return flag
    }

    fileprivate func count(_ field: ChatField) throws(APIError) -> Int64? {
        guard let value = self[field.rawValue], value != .null else { return nil }
        guard let count = value.integer, (1...10_000_000).contains(count) else {
            throw .refused(field, "'\(field.rawValue)' must be a whole number of at least 1.")
        }
        return count
    }
}

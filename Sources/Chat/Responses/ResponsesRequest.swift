internal import API
internal import HTTPModel
internal import JSON

/// A request in the form of OpenAI's Responses API, as the chat request that means the same.
struct ResponsesRequest {
    /// In the form of chat completions.
    let chat: JSONValue
    /// What the answer repeats of the request.
    let echoed: [(String, JSONValue)]

    /// Fields with the same meaning, and their names in a chat request.
    private static let renamed = [
        "model": ChatField.model, "stream": .stream, "max_output_tokens": .maxCompletionTokens,
        "parallel_tool_calls": .parallelToolCalls, "on_disconnect": .onDisconnect,
    ]
    /// Fields that are read here.
    private static let read: Set<String> = ["input", "instructions", "tools", "tool_choice", "text", "reasoning"]
    /// What the server does not have. An answer without it would mislead.
    private static let refused = [
        "previous_response_id", "conversation", "background", "prompt", "project_id", "session_id", "mcp",
        "context_management", "image",
    ]

    init(_ json: JSONValue) throws(APIError) {
        guard case .object(let fields) = json else { throw .invalid("invalid_json", "The body must be a JSON object.") }
        for name in ResponsesRequest.refused {
            guard let value = json[name], value != .null, value != .bool(false) else { continue }
            throw .invalid("invalid_parameter", "Responses do not have '\(name)' here.", param: name)
        }
        var members: [(String, JSONValue)] = []
        for (name, value) in fields where value != .null {
            if let field = ResponsesRequest.renamed[name] {
                members.append((field.rawValue, value))
            } else if !ResponsesRequest.read.contains(name), !ResponsesRequest.refused.contains(name),
                ChatField(rawValue: name)?.treatment != .honoured
            {
                // Refused, or named in the answer as ignored.
                members.append((name, value))
            }
        }
        members += try ResponsesRequest.members(json)
        var messages: [JSONValue] = []
        if let text = json["instructions"]?.string {
            messages.append(ResponsesInput.message("system", .string(text)))
        }
        messages += try ResponsesInput.messages(json["input"])
        chat = .object(members + [(ChatField.messages.rawValue, .array(messages))])
        echoed = ["instructions", "tools", "tool_choice", "metadata", "text", "max_output_tokens"].compactMap { name in
            json[name].flatMap { $0 == .null ? nil : (name, $0) }
        }
    }

    /// The fields whose form differs.
    private static func members(_ json: JSONValue) throws(APIError) -> [(String, JSONValue)] {
        var members: [(String, JSONValue)] = []
        if let effort = json["reasoning"]?["effort"], effort != .null {
            members.append((ChatField.reasoningEffort.rawValue, effort))
        }
        if let tools = json["tools"], tools != .null {
            guard let list = tools.array else {
                throw .invalid("invalid_parameter", "'tools' must be a list of functions.", param: "tools")
            }
            members.append((ChatField.tools.rawValue, .array(list.map(nested))))
        }
        if let choice = json["tool_choice"], choice != .null {
            members.append((ChatField.toolChoice.rawValue, nested(choice)))
        }
        if let format = json["text"]?["format"], format != .null {
            let isSchema = format["type"]?.string == "json_schema"
            members.append(
                (
                    ChatField.responseFormat.rawValue,
                    isSchema ? .object([("type", .string("json_schema")), ("json_schema", format)]) : format
                )
            )
        }
        return members
    }

    /// A function has its members in an object of its own in chat requests.
    private static func nested(_ value: JSONValue) -> JSONValue {
        guard value["type"]?.string == "function", case .object(let members) = value else { return value }
        return .object([("type", .string("function")), ("function", .object(members.filter { $0.0 != "type" }))])
    }
}

extension APIError {
    private static let responsesNames = [
        ("messages", "input"), ("response_format", "text.format"), ("max_completion_tokens", "max_output_tokens"),
        ("reasoning_effort", "reasoning.effort"),
    ]

    /// Names the parameter as the request does. Messages and items are counted differently.
    var ofResponses: APIError {
        var error = self
        for (name, shown) in APIError.responsesNames where param?.hasPrefix(name) == true { error.param = shown }
        return error
    }
}

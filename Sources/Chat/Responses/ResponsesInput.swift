internal import HTTPModel
internal import JSON

/// Converts the `input` of a Responses request to the `messages` of a chat request.
enum ResponsesInput {
    static func messages(_ input: JSONValue?) throws(APIError) -> [JSONValue] {
        if let text = input?.string { return [message("user", .string(text))] }
        guard let items = input?.array else {
            throw .invalid("missing_parameter", "'input' must be a text or a list of items.", param: "input")
        }
        var messages: [JSONValue] = []
        /// The calls of one message of the model follow each other.
        var calls: [JSONValue] = []
        func flush() {
            guard !calls.isEmpty else { return }
            let tools: [(String, JSONValue)] = [("tool_calls", .array(calls))]
            calls = []
            // What the model said before its calls is the same message.
            if case .object(let said)? = messages.last, messages.last?["role"]?.string == "assistant",
                messages.last?["tool_calls"] == nil
            {
                messages[messages.count - 1] = .object(said + tools)
            } else {
                messages.append(.object([("role", .string("assistant")), ("content", .null)] + tools))
            }
        }
        for (index, item) in items.enumerated() {
            let place = "input[\(index)]"
            switch item["type"]?.string ?? "message" {
            case "function_call":
                calls.append(call(item))
                continue
            case "reasoning": continue
            case "function_call_output":
                flush()
                messages.append(
                    .object([
                        ("role", .string("tool")), ("tool_call_id", item["call_id"] ?? .null),
                        ("content", try content(item["output"], place + ".output")),
                    ])
                )
            case "message":
                flush()
                messages.append(message(item["role"]?.string ?? "", try content(item["content"], place + ".content")))
            case let type:
                throw .invalid("invalid_parameter", "An item of the type '\(type)' is not taken.", param: place)
            }
        }
        flush()
        return messages
    }

    static func message(_ role: String, _ content: JSONValue) -> JSONValue {
        .object([("role", .string(role)), ("content", content)])
    }

    private static func call(_ item: JSONValue) -> JSONValue {
        .object([
            ("id", item["call_id"] ?? .null), ("type", .string("function")),
            ("function", .object([("name", item["name"] ?? .null), ("arguments", item["arguments"] ?? .null)])),
        ])
    }

    private static func content(_ value: JSONValue?, _ place: String) throws(APIError) -> JSONValue {
        guard let parts = value?.array else { return value ?? .null }
        var found: [JSONValue] = []
        for (index, part) in parts.enumerated() {
            switch part["type"]?.string {
            case "input_text", "output_text", "text":
                found.append(.object([("type", .string("text")), ("text", part["text"] ?? .null)]))
            case "refusal":
                found.append(.object([("type", .string("refusal")), ("refusal", part["refusal"] ?? .null)]))
            case "input_image":
                let url = JSONValue.object([("url", part["image_url"] ?? .null)])
                found.append(.object([("type", .string("image_url")), ("image_url", url)]))
            default:
                throw .invalid(
                    "invalid_parameter",
                    "A part must be a text, or an image by an https or data URL.",
                    param: "\(place)[\(index)]"
                )
            }
        }
        return .array(found)
    }
}

internal import JSON

/// Lines to the client.
enum ClientLine {
    /// The text of one line, with its end. JSON strings contain no raw line breaks.
    static func bytes(_ value: JSONValue) -> [UInt8] {
        var writer = JSONWriter(reserving: 512)
        writer.value(value)
        return writer.bytes + [UInt8(ascii: "\n")]
    }

    static func message(id: String, content: JSONValue) -> JSONValue {
        .object([
            ("type", .string("user")),
            ("message", .object([("role", .string("user")), ("content", content)])),
            ("parent_tool_use_id", .null), ("session_id", .string("")), ("uuid", .string(id)),
        ])
    }

    static func success(request: String, _ response: JSONValue) -> JSONValue {
        reply([("subtype", .string("success")), ("request_id", .string(request)), ("response", response)])
    }

    static func failure(request: String, _ reason: String) -> JSONValue {
        reply([("subtype", .string("error")), ("request_id", .string(request)), ("error", .string(reason))])
    }

    /// Takes a request back.
    static func cancel(request: String) -> JSONValue {
        .object([("type", .string("control_cancel_request")), ("request_id", .string(request))])
    }

    /// nil if the answer is not one for this kind of prompt.
    static func answer(to prompt: OpenPrompt, _ answer: PromptReply) -> JSONValue? {
        switch answer {
        case .allow(let input, let permissions):
            guard !prompt.isElicitation else { return nil }
            var fields: [(String, JSONValue)] = [("behavior", .string("allow"))]
            if let input { fields.append(("updatedInput", input)) }
            if !permissions.isEmpty { fields.append(("updatedPermissions", .array(permissions))) }
            return success(request: prompt.id, .object(fields))
        case .deny(let message, let interrupt):
            guard !prompt.isElicitation else { return nil }
            var fields: [(String, JSONValue)] = [("behavior", .string("deny")), ("message", .string(message))]
            if interrupt { fields.append(("interrupt", .bool(true))) }
            return success(request: prompt.id, .object(fields))
        case .elicitation(let action, let content):
            guard prompt.isElicitation, ["accept", "decline", "cancel"].contains(action) else { return nil }
            var fields: [(String, JSONValue)] = [("action", .string(action))]
            if action == "accept", let content { fields.append(("content", content)) }
            return success(request: prompt.id, .object(fields))
        }
    }

    private static func reply(_ response: [(String, JSONValue)]) -> JSONValue {
        .object([("type", .string("control_response")), ("response", .object(response))])
    }
}

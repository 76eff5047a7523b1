internal import JSON

/// What the bridge itself says to its client.
enum BridgeReply {
    static func error(_ id: JSONValue, _ code: Int64, _ message: String) -> JSONValue {
        reply(id, ("error", .object([("code", .integer(code)), ("message", .string(message))])))
    }

    /// A text as the result of a tool.
    static func result(
        of call: BridgedCall,
        _ text: String,
        structured: JSONValue? = nil,
        isError: Bool = false
    ) -> JSONValue {
        let content = JSONValue.object([("type", .string("text")), ("text", .string(text))])
        // Revisions before the stateless one do not know the member, and their clients ignore it.
        let result: [(String, JSONValue)] =
            [("resultType", .string("complete")), ("content", .array([content]))]
            + (structured.map { [("structuredContent", $0)] } ?? []) + [("isError", .bool(isError))]
        return reply(call.id, ("result", .object(result)))
    }

    /// What cannot be done, in the form that the client reads: a denial, the failure of a tool, or an error.
    ///
    /// - Parameter code: a word, followed in the text by the message.
    static func failure(of call: BridgedCall, _ code: String, _ message: String) -> JSONValue {
        if call.asksForApproval { return result(of: call, ApprovalGate.denial(message)) }
        if call.method == "tools/call" { return result(of: call, "\(code): \(message)", isError: true) }
        return error(call.id, -32603, message)
    }

    /// A question that the machine's file lets nobody answer, in the form of the server's answers.
    static func unanswered(_ call: BridgedCall) -> JSONValue {
        let said = JSONValue.object([("answered", .bool(false)), ("reason", .string(ApprovalGate.refusal))])
        return result(of: call, text(said), structured: said)
    }

    /// What the server says of itself, with tools as all that it can do.
    static func introduction(of call: BridgedCall, _ members: [(String, JSONValue)]) -> JSONValue {
        let capabilities = JSONValue.object([("tools", .object([]))])
        let own = members.filter { $0.0 != "capabilities" } + [("capabilities", capabilities)]
        return reply(call.id, ("result", .object(own)))
    }

    private static func reply(_ id: JSONValue, _ member: (String, JSONValue)) -> JSONValue {
        .object([("jsonrpc", .string("2.0")), ("id", id), member])
    }

    static func text(_ value: JSONValue) -> String {
        var writer = JSONWriter()
        writer.value(value)
        return String(decoding: writer.bytes, as: UTF8.self)
    }
}

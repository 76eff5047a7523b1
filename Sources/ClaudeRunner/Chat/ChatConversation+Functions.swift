package import JSON

/// The caller's functions, and answers in a form.
extension ChatConversation {
    static let counting = "chat-usage"
    private static let formTool = "StructuredOutput"

    /// Whether the results of calls were given.
    var hasContinued: Bool { continuations > 0 }

    /// Whether the model waits for the results of its calls.
    package var isWaiting: Bool { stage == .waiting }

    /// The client leaves out what it does not understand, and would answer without it.
    mutating func receive(tools: [JSONValue]) -> [Action] {
        guard stage == .asking else { return [] }
        let names = Set(tools.compactMap(\.string))
        if start.schema != nil, !names.contains(ChatConversation.formTool) {
            return over(.init(.unusable, "Claude Code does not take the schema of the answer."))
        }
        if let lost = start.functions.first(where: { !names.contains(FunctionServer.prefix + $0.name) }) {
            return over(.init(.unusable, "Claude Code does not take the function '\(lost.name)'."))
        }
        return []
    }

    /// The model's message has ended with calls. What it has cost is asked for, since nobody may ever give the results.
    mutating func called() -> [Action] {
        end.calls = reader.calls(to: server)
        guard stage == .asking, !end.calls.isEmpty else { return [] }
        stage = .counting
        return [write(ControlRequest.usage.line(id: ChatConversation.counting))]
    }

    mutating func counted(_ response: JSONValue) -> [Action] {
        stage = .waiting
        end.usage = reader.usage
        if let cost = response["response"]?["session"]?["total_cost_usd"]?.double {
            (end.cost, toldCost) = (cost - toldCost, cost)
        }
        return [.called(end)]
    }

    /// Gives the results of all calls, as lists of content blocks. The turn goes on.
    package mutating func proceed(_ results: [String: JSONValue]) -> [Action] {
        guard isWaiting else { return [] }
        stage = .asking
        continuations += 1
        (end, hasText) = (ChatEnd(), false)
        reader.forgetUsage()
        return server.give(results).map(write)
    }

    /// The answer in the form of the schema, once it is whole.
    mutating func formed(_ result: JSONValue) -> [Action] {
        guard start.schema != nil else { return [] }
        guard let form = result["structured_output"], form != .null else {
            return over(.init(.api, "The model did not answer in the form of the schema."))
        }
        var writer = JSONWriter(reserving: 1024)
        writer.value(form)
        return [.text(String(decoding: writer.bytes, as: UTF8.self))]
    }
}

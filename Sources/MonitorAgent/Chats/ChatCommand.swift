internal import ClaudeRunner
internal import JSON
internal import RPC

extension AgentCommand {
    /// A turn of a plain chat: what was said before, and what is to be answered.
    struct Chat: Sendable, Equatable {
        var model: String?
        var effort: String?
        var systemPrompt: String?
        var history: [ChatStart.Message] = []
        var content: JSONValue
        var mostTokens: Int64?
        var stopSequences: [String] = []
        var functions: [ChatFunction] = []
        var choice: JSONValue?
        var schema: JSONValue?
        var temperature: Double?
        var topP: Double?
        /// Seconds for which the results of calls are waited for.
        var parkSeconds: Int64

        private static let mostMessages = 10_000
        private static let mostStopSequences = 16

        init(_ params: RPCParams) throws(RPCError) {
            parkSeconds = try Results.parkSeconds(params)
            functions = try ChatFunction.list(params.value("functions"))
            (choice, schema) = (params.value("tool_choice"), params.value("schema"))
            content = try Chat.content(params.value("content"))
            model = try params.string("model", limit: 128)
            if let model, !ClaudeStart.isModel(model) {
                throw .invalidParameter("model", "is not the name of a model")
            }
            effort = try params.string("effort", limit: 16)
            if let effort, !ClaudeStart.efforts.contains(effort) {
                throw .invalidParameter(
                    "effort",
                    "is not one of \(ClaudeStart.efforts.sorted().joined(separator: ", "))"
                )
            }
            systemPrompt = try params.string("system_prompt", limit: 1 << 20)
            mostTokens = try params.integer("max_tokens", in: 1...10_000_000)
            stopSequences = (params.value("stop")?.array ?? []).prefix(Chat.mostStopSequences).compactMap(\.string)
            (temperature, topP) = (try Chat.share("temperature", params), try Chat.share("top_p", params))
            history = try Chat.history(params)
        }

        private static func share(_ name: String, _ params: RPCParams) throws(RPCError) -> Double? {
            guard let value = params.value(name) else { return nil }
            guard let share = value.double, (0...1).contains(share) else {
                throw .invalidParameter(name, "is not a number from 0 to 1")
            }
            return share
        }

        /// What was said before.
        static func history(_ params: RPCParams) throws(RPCError) -> [ChatStart.Message] {
            var history: [ChatStart.Message] = []
            for message in (params.value("history")?.array ?? []).prefix(Chat.mostMessages) {
                guard let role = message["role"]?.string.flatMap(ChatStart.Message.Role.init) else {
                    throw .invalidParameter("history", "has a message without a role")
                }
                history.append(ChatStart.Message(role, try Chat.content(message["content"])))
            }
            return history
        }

        private static func content(_ value: JSONValue?) throws(RPCError) -> JSONValue {
            guard let value, value.string != nil || value.array?.isEmpty == false else {
                throw .invalidParameter("content", "is neither a text nor a list of blocks")
            }
            return value
        }
    }
}

extension ChatEnd {
    /// - Parameter process: the one of a plain chat, so that the server knows it in telemetry.
    func json(of process: ChatProcess? = nil) -> JSONValue {
        var members: [(String, JSONValue)] = []
        if let process { members.append(("client_id", .string(process.id))) }
        if let stopReason { members.append(("stop_reason", .string(stopReason))) }
        if let model { members.append(("model", .string(model))) }
        if !calls.isEmpty { members.append(("calls", .array(calls.map(\.json)))) }
        if let usage { members.append(("usage", usage)) }
        if let cost { members.append(("cost", .number(cost))) }
        if let failure {
            var words: [(String, JSONValue)] = [
                ("kind", .string(failure.kind.rawValue)), ("message", .string(failure.message)),
            ]
            if let status = failure.status { words.append(("status", .integer(status))) }
            members.append(("failure", .object(words)))
        }
        return .object(members)
    }
}

extension ChatCall {
    fileprivate var json: JSONValue {
        .object([("id", .string(id)), ("name", .string(name)), ("arguments", .string(arguments))])
    }
}

package import JSON

/// What is said to and by the client of one chat, without any I/O: begins, loads the history, asks, and ends.
package struct ChatConversation: Sendable {
    package enum Action: Sendable, Equatable {
        case write([UInt8])
        case text(String)
        /// The model waits for the results of its calls.
        case called(ChatEnd)
        /// The turn is over, and the client is of no more use.
        case ended(ChatEnd)
    }

    enum Stage: Equatable {
        case beginning
        /// Waits for the client to take the message before this place of the history.
        case loading(next: Int)
        case asking
        /// The model has called functions; the client is asked for what was spent.
        case counting
        /// The results of the calls are awaited.
        case waiting
        case over
    }

    private static let beginning = "chat-begin"
    /// Without one, the client would describe itself as a program for programming.
    static let usualPrompt = "You are a helpful assistant."

    let start: ChatStart
    var stage = Stage.beginning
    var end = ChatEnd()
    var server: FunctionServer
    var reader = MessageReader()
    /// US dollars that were told before.
    var toldCost = 0.0
    var continuations = 0
    /// The message that the model is writing.
    private var messageID: String?
    /// The messages whose text came in pieces.
    private var streamed: Set<String> = []
    var hasText = false
    private var isAtLimit = false
    private var fault: ChatEnd.Failure?

    package init(_ start: ChatStart) {
        self.start = start
        server = FunctionServer(start.functions)
    }

    package mutating func begin() -> [Action] {
        let prompt = start.systemPrompt ?? ChatConversation.usualPrompt
        let request = ControlRequest.initializeChat(
            systemPrompt: prompt,
            servers: start.functions.isEmpty ? [] : [FunctionServer.name],
            schema: start.schema
        )
        return [write(request.line(id: ChatConversation.beginning))]
    }

    /// Ends the turn. The client's `result` follows.
    package mutating func interrupt() -> [Action] {
        guard stage == .asking else { return over(.init(.interrupted, "The turn was interrupted.")) }
        if fault == nil { fault = .init(.interrupted, "The turn was interrupted.") }
        return [write(ControlRequest.interrupt(cancelQueued: true).line(id: "chat-interrupt"))]
    }

    package mutating func exited(_ words: String) -> [Action] {
        over(fault ?? .init(.gone, words.isEmpty ? "Claude Code ended by itself." : words))
    }

    /// A line of the client. Anything unknown is ignored.
    package mutating func receive(_ line: JSONValue) -> [Action] {
        guard stage != .over else { return [] }
        switch line["type"]?.string {
        case "control_response": return receive(response: line["response"] ?? .null)
        case "control_request":
            return server.receive(line["request_id"]?.string ?? "", line["request"] ?? .null).map(write)
        case "system" where line["subtype"]?.string == "init": return receive(tools: line["tools"]?.array ?? [])
        case "stream_event" where line["parent_tool_use_id"]?.string == nil: return receive(stream: line)
        case "assistant" where line["parent_tool_use_id"]?.string == nil: return receive(assistant: line)
        case "result": return receive(result: line)
        default: return []
        }
    }

    private mutating func receive(response: JSONValue) -> [Action] {
        if stage == .counting, response["request_id"]?.string == ChatConversation.counting { return counted(response) }
        guard stage == .beginning, response["request_id"]?.string == ChatConversation.beginning else { return [] }
        guard response["subtype"]?.string == "success" else {
            return over(.init(.gone, response["error"]?.string ?? "Claude Code refused to begin."))
        }
        return load(from: 0)
    }

    /// The client takes earlier messages one by one: each of the user is acknowledged before the next frame.
    private mutating func load(from place: Int) -> [Action] {
        var actions: [Action] = []
        for index in start.history.indices.dropFirst(place) {
            let message = start.history[index]
            actions.append(write(ChatConversation.frame(message)))
            guard message.role == .user else { continue }
            stage = .loading(next: index + 1)
            return actions
        }
        stage = .asking
        return actions + [write(ClientLine.message(id: start.id, content: MessageContent.plain(start.content)))]
    }

    static func frame(_ message: ChatStart.Message) -> JSONValue {
        let content = message.role == .user ? MessageContent.plain(message.content) : blocks(message.content)
        var members: [(String, JSONValue)] = [
            ("type", .string(message.role.rawValue)),
            ("message", .object([("role", .string(message.role.rawValue)), ("content", content)])),
            ("parent_tool_use_id", .null), ("session_id", .string("")),
        ]
        if message.role == .user { members.append(("shouldQuery", .bool(false))) }
        return .object(members)
    }

    private static func blocks(_ content: JSONValue) -> JSONValue {
        guard let text = content.string else { return content }
        return .array([.object([("type", .string("text")), ("text", .string(text))])])
    }

    func write(_ line: JSONValue) -> Action { .write(ClientLine.bytes(line)) }

    mutating func over(_ failure: ChatEnd.Failure?) -> [Action] {
        guard stage != .over else { return [] }
        stage = .over
        end.failure = failure
        if failure != nil, let usage = reader.unfinishedUsage { end.usage = usage }
        return [.ended(end)]
    }
}

extension ChatConversation {
    private mutating func receive(stream line: JSONValue) -> [Action] {
        guard let event = line["event"] else { return [] }
        if let id = line["api_message_id"]?.string ?? event["message"]?["id"]?.string { messageID = id }
        if let model = event["message"]?["model"]?.string { end.model = model }
        reader.read(event)
        if event["type"]?.string == "message_start", stage != .asking {
            return over(.init(.gone, "Claude Code did not wait for the results of its calls."))
        }
        if line["abandoned_blocks"] != nil, hasText {
            return over(.init(.retracted, "The model's stream broke, and text that was sent no longer counts."))
        }
        if let reason = event["delta"]?["stop_reason"]?.string { return stopped(reason, event) }
        guard event["delta"]?["type"]?.string == "text_delta", let text = event["delta"]?["text"]?.string,
            !text.isEmpty, !isAtLimit
        else { return [] }
        return add(text, of: messageID ?? "")
    }

    /// The client would go on by itself beyond the limit of tokens.
    private mutating func stopped(_ reason: String, _ event: JSONValue) -> [Action] {
        end.stopReason = reason
        if let usage = event["usage"] { end.usage = usage }
        if reason == "tool_use", !isAtLimit { return called() }
        guard reason == "max_tokens", !isAtLimit else { return [] }
        isAtLimit = true
        return [write(ControlRequest.interrupt(cancelQueued: true).line(id: "chat-limit"))]
    }

    private mutating func add(_ text: String, of message: String) -> [Action] {
        // An answer in a form is what `result` says.
        guard start.schema == nil else { return [] }
        let isNew = streamed.insert(message).inserted
        let gap = isNew && hasText ? "\n\n" : ""
        hasText = true
        return [.text(gap + text)]
    }

    private mutating func receive(assistant line: JSONValue) -> [Action] {
        guard let message = line["message"] else { return [] }
        let texts = message["content"]?.array?.compactMap { $0["type"]?.string == "text" ? $0["text"]?.string : nil }
        let text = texts?.joined(separator: "\n\n") ?? ""
        guard message["model"]?.string != "<synthetic>" else {
            fault = ChatConversation.failure(line, text)
            return []
        }
        let id = message["id"]?.string ?? ""
        guard stage == .asking, !streamed.contains(id), !text.isEmpty, !isAtLimit else { return [] }
        return add(text, of: id)
    }

    static func failure(_ line: JSONValue, _ text: String) -> ChatEnd.Failure {
        let status = line["api_error_status"]?.integer
        let kind: ChatEnd.Failure.Kind =
            switch line["error"]?.string {
            case "model_not_found": .modelNotFound
            case "rate_limit": .rateLimit
            case "authentication_failed": .notLoggedIn
            default: text.hasPrefix("Not logged in") ? .notLoggedIn : .api
            }
        return .init(kind, text, status: status)
    }

    private mutating func receive(result line: JSONValue) -> [Action] {
        let isError = line["is_error"]?.bool ?? false
        if case .loading(let next) = stage, !isError { return load(from: next) }
        if let usage = line["usage"], usage["output_tokens"]?.integer ?? 0 > 0 || end.usage == nil { end.usage = usage }
        end.cost = line["total_cost_usd"]?.double.map { $0 - toldCost }
        if hasContinued { end.usage = reader.usage }
        end.stopReason = end.stopReason ?? line["stop_reason"]?.string
        if isAtLimit { return over(nil) }
        if !isError, fault?.kind != .interrupted { return formed(line) + over(nil) }
        let words = line["errors"]?.array?.compactMap(\.string).joined(separator: "\n") ?? ""
        return over(fault ?? .init(.api, words, status: line["api_error_status"]?.integer))
    }
}

internal import JSON
internal import MachinePolicy

/// Passes the requests of one client to the server, and the answers back. What the server says to `approve` passes
/// through the machine's approvals file. Pure; times are in seconds of one clock.
struct Bridge {
    enum Action: Equatable {
        /// A message for the client, without line breaks.
        case write([UInt8])
        case send(ServerRequest, for: Int)
        /// Ends what was sent.
        case drop(Int)
    }

    /// What the machine says.
    struct Machine {
        /// The directory in which the client was started.
        var project: String
        /// What the approvals file says now.
        var rule: (PromptCall) -> SettledRule
        var isDirectory: (String) -> Bool
        /// The session of the client, if that is known.
        var session: () -> String?
    }

    /// Requests at a time.
    static let mostCalls = 64
    /// Bytes of a message, which the server does not read beyond.
    static let mostBytes = 1 << 20
    /// Between the end of the time to answer and the last moment at which the server may say so.
    private static let graceSeconds = 90.0
    /// How long the server may be away before somebody is asked.
    private static let askingPatience = 60.0
    /// What the file gives at most.
    private static let mostSeconds = 3600
    /// What the server gives a question that names no time.
    private static let questionSeconds: Int64 = 600

    private struct Line {
        var exchange: Exchange
        var gate: ApprovalGate?
    }

    let machine: Machine
    private var lines: [Int: Line] = [:]
    private var count = 0
    /// The revision that `initialize` has brought.
    private var version: String?

    init(_ machine: Machine) { self.machine = machine }

    // MARK: The client

    mutating func received(_ line: [UInt8], now: Double) -> [Action] {
        switch ClientMessage(line) {
        case .other: return []
        case .invalid(let id, let code, let message): return [.write(BridgeReply.error(id, code, message))]
        case .cancelled(let id):
            guard let number = number(of: id) else { return [] }
            return forget(number)
        case .request(let call):
            guard number(of: call.id) == nil else {
                return [.write(BridgeReply.error(call.id, -32600, "Invalid request: the id is in use"))]
            }
            guard lines.count < Bridge.mostCalls else {
                return [failure(call, "too_many_calls", "Too many calls wait. Let some of them end.")]
            }
            guard call.body.count <= Bridge.mostBytes else {
                return [failure(call, "too_large", "The request is too large to be shown on another device.")]
            }
            return begin(call, now: now)
        }
    }

    /// A line that was too long to be read.
    func receivedTooLong() -> [Action] {
        [.write(BridgeReply.error(.null, -32600, "Invalid request: the message is too long"))]
    }

    private mutating func begin(_ call: BridgedCall, now: Double) -> [Action] {
        var headers = headers(of: call)
        var (gate, time): (ApprovalGate?, Double?) = (nil, nil)
        if call.asksForApproval {
            guard let asked = ApprovalGate(call.arguments, project: machine.project) else {
                return [failure(call, "invalid_parameter", "This asks about no call of a tool.")]
            }
            let rule = machine.rule(asked.call)
            guard rule.isAnswerable else { return [failure(call, "not_answerable", ApprovalGate.refusal)] }
            let seconds = min(rule.hold, Bridge.mostSeconds)
            headers += ["X-Hold-Policy: \(rule.words)", "X-Hold-Seconds: \(seconds)"]
            (gate, time) = (asked, Double(seconds))
        }
        if call.asksQuestion {
            let rule = machine.rule(question)
            guard rule.isAnswerable else { return [.write(BridgeReply.unanswered(call))] }
            headers.append("X-Hold-Policy: \(rule.words)")
            let seconds = call.arguments["timeout_seconds"]?.integer ?? Bridge.questionSeconds
            time = Double(min(max(seconds, 1), Int64(Bridge.mostSeconds)))
        }
        count += 1
        let exchange = Exchange(
            call,
            headers: headers,
            patience: time.map { min($0, Bridge.askingPatience) } ?? Exchange.patience,
            deadline: time.map { now + $0 + Bridge.graceSeconds }
        )
        lines[count] = Line(exchange: exchange, gate: gate)
        return take(step: lines[count]?.exchange.begin(now: now), of: count)
    }

    /// A question of the model, as the approvals file judges it.
    private var question: PromptCall {
        let hook = JSONValue.object([
            ("hook_event_name", .string("PermissionRequest")), ("tool_name", .string("AskUserQuestion")),
        ])
        return PromptCall(hook: hook, project: machine.project)
    }

    private func headers(of call: BridgedCall) -> [String] {
        var headers = ["Mcp-Method: \(call.method)"]
        let version = call.version ?? (call.method == "initialize" ? nil : version)
        if let version { headers.append("MCP-Protocol-Version: \(HeaderText.encoded(version))") }
        if let tool = call.tool {
            headers.append("Mcp-Name: \(HeaderText.encoded(tool))")
            if let session = machine.session(), HeaderText.isPlain(session) {
                headers.append("X-Session-Id: \(session)")
            }
        }
        // The list has `approve` for those who check its answers.
        if call.method == "tools/list" { headers.append("X-Hold-Policy: who=answer") }
        return headers
    }

    // MARK: The server

    mutating func output(_ bytes: [UInt8], of number: Int, now: Double) -> [Action] {
        guard let call = lines[number]?.exchange.call else { return [] }
        guard let messages = lines[number]?.exchange.output(bytes, now: now) else {
            return forget(number) + [failure(call, "answer_too_large", "The server's answer is too long.")]
        }
        var actions: [Action] = []
        for bytes in messages where lines[number] != nil {
            guard let message = try? JSONValue.parse(bytes, maxDepth: 256), message.isObject else { continue }
            actions += message["method"] != nil ? told(message, to: call) : finish(number, with: bytes)
        }
        return actions
    }

    /// Passes on the progress of the call. Nothing else that a server says by itself reaches the client: it could put
    /// text into the session, or answer for a person.
    private func told(_ message: JSONValue, to call: BridgedCall) -> [Action] {
        guard message["method"]?.string == "notifications/progress", let token = call.progressToken,
            let params = message["params"], params["progressToken"] == token
        else { return [] }
        return [
            .write(
                .object([
                    ("jsonrpc", .string("2.0")), ("method", .string("notifications/progress")), ("params", params),
                ])
            )
        ]
    }

    mutating func ended(_ number: Int, _ code: Int32, now: Double) -> [Action] {
        take(step: lines[number]?.exchange.ended(code, now: now), of: number)
    }

    mutating func tick(now: Double) -> [Action] {
        var actions: [Action] = []
        for number in lines.keys.sorted() {
            let wasRunning = lines[number]?.exchange.isRunning ?? false
            let step = lines[number]?.exchange.tick(now: now)
            if wasRunning, lines[number]?.exchange.isRunning == false { actions.append(.drop(number)) }
            actions += take(step: step, of: number)
        }
        return actions
    }

    var nextTime: Double? { lines.values.compactMap(\.exchange.nextTime).min() }

    private mutating func take(step: Exchange.Step?, of number: Int) -> [Action] {
        switch step {
        case nil, .wait: return []
        case .request(let request): return [.send(request, for: number)]
        case .answer(let message): return finish(number, with: message)
        case .failed(let code, let message):
            guard let call = lines[number]?.exchange.call else { return [] }
            return forget(number) + [failure(call, code, message)]
        }
    }

    private mutating func finish(_ number: Int, with bytes: [UInt8]) -> [Action] {
        guard let line = lines[number] else { return [] }
        let (call, actions) = (line.exchange.call, forget(number))
        let message = (try? JSONValue.parse(bytes, maxDepth: 256)) ?? .null
        let error = message["error"]
        let isOwn = message["id"] == call.id || error != nil && message["id"] ?? .null == .null
        guard isOwn, message["result"] != nil || error != nil, isAnswer(message) else {
            return actions + [failure(call, "no_answer", "The server answered something else.")]
        }
        if let gate = line.gate { return actions + [.write(approval(call, gate, message))] }
        // The file may have changed since the question was asked.
        if call.asksQuestion, error == nil, !machine.rule(question).isAnswerable {
            return actions + [.write(BridgeReply.unanswered(call))]
        }
        if let error, message["id"] != call.id {
            return actions + [.write(.object([("jsonrpc", .string("2.0")), ("id", call.id), ("error", error)]))]
        }
        if call.method == "initialize" { version = message["result"]?["protocolVersion"]?.string }
        if call.introducesServer, case .object(let members)? = message["result"] {
            return actions + [.write(BridgeReply.introduction(of: call, members))]
        }
        return actions + [.pass(bytes)]
    }

    /// Whether the message is an answer and no more. A server that asks for input would ask the person in the name of
    /// this machine.
    private func isAnswer(_ message: JSONValue) -> Bool {
        guard case .object(let members) = message,
            members.allSatisfy({ ["jsonrpc", "id", "result", "error"].contains($0.0) })
        else { return false }
        let type = message["result"]?["resultType"]
        return type == nil || type == .string("complete")
    }

    private func approval(_ call: BridgedCall, _ gate: ApprovalGate, _ message: JSONValue) -> JSONValue {
        let result = message["result"] ?? .null
        let said = result["content"]?.array?.first?["text"]?.string ?? message["error"]?["message"]?.string ?? ""
        guard message["error"] == nil, result["isError"]?.bool != true else {
            return BridgeReply.failure(of: call, "not_asked", "Nobody could be asked. \(ShownText.line(said))")
        }
        // The file may have changed since the call was asked about.
        let text = gate.reply(to: said, machine.rule(gate.call), isDirectory: machine.isDirectory)
        return BridgeReply.result(of: call, text)
    }

    // MARK: -

    private func number(of id: JSONValue) -> Int? { lines.first { $0.value.exchange.call.id == id }?.key }

    private mutating func forget(_ number: Int) -> [Action] {
        let isRunning = lines.removeValue(forKey: number)?.exchange.isRunning ?? false
        return isRunning ? [.drop(number)] : []
    }

    private func failure(_ call: BridgedCall, _ code: String, _ message: String) -> Action {
        .write(BridgeReply.failure(of: call, code, message))
    }
}

extension Bridge.Action {
    /// A message of the server as it is, on one line. Strings of JSON contain no raw line breaks.
    fileprivate static func pass(_ message: [UInt8]) -> Bridge.Action {
        .write(message.map { $0 == UInt8(ascii: "\n") || $0 == UInt8(ascii: "\r") ? UInt8(ascii: " ") : $0 })
    }

    fileprivate static func write(_ message: JSONValue) -> Bridge.Action {
        .write(Array(BridgeReply.text(message).utf8))
    }
}

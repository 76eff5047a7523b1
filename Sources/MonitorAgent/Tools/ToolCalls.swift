internal import ClaudeRunner
internal import JSON

/// The calls of tools that the server asks for. A person is asked first; then the server has the call run, once. Pure;
/// times are seconds of one monotonic clock.
struct ToolCalls {
    struct Call: Equatable, Sendable {
        var id: String
        /// The key of the session, or of the process that only runs tools, whose client makes the call.
        var key: String
        /// As Claude Code names the tool.
        var name: String
        var arguments: JSONValue
        var by: AgentCommand.Person
        /// The server's request.
        var request: AgentCommand.AskTool?
    }

    private enum Step: Equatable {
        case asking
        case approved(until: Double)
        /// - Parameter isPermitted: the client's own request for permission has not come yet.
        case running(isPermitted: Bool)
        case over(result: [UInt8], until: Double)
    }

    /// Calls at a time. A caller has at most as many as are still free, so at most half of them, and nobody can take
    /// all. Each may have a result of `ToolCalls.mostResultBytes`.
    static let most = 8
    /// Bytes of a result, as JSON.
    static let mostResultBytes = 10 << 20
    /// Seconds after the approval in which the server has the call run.
    static let startSeconds = 60.0
    /// Seconds for which a result is kept until the server has fetched it.
    static let keptSeconds = 60.0
    /// Bytes of a piece of a result. A message to the server has at most 1 MiB, and one byte may take six there.
    static let pieceBytes = 128 << 10

    private var calls: [String: (call: Call, step: Step)] = [:]

    mutating func ask(_ call: Call) throws(CommandRefusal) {
        guard calls[call.id] == nil else { throw CommandRefusal(.failed, "The call is being asked about.") }
        let own = calls.values.count { $0.call.by == call.by }
        guard own < ToolCalls.most - calls.count else {
            throw CommandRefusal(.tooManyCommands, "The machine's agent already has \(calls.count) calls of tools.")
        }
        calls[call.id] = (call, .asking)
    }

    mutating func approve(_ id: String, now: Double) {
        guard calls[id]?.step == .asking else { return }
        calls[id]?.step = .approved(until: now + ToolCalls.startSeconds)
    }

    /// What was approved and has not begun.
    func approved(_ id: String, in key: String) -> AgentCommand.AskTool? {
        guard let (call, step) = calls[id], call.key == key, case .approved = step else { return nil }
        return call.request
    }

    /// An approval counts for one run.
    mutating func begin(_ id: String, in key: String, now: Double) throws(CommandRefusal) -> Call {
        guard let (call, step) = calls[id], call.key == key, case .approved(let until) = step, now < until else {
            throw CommandRefusal(.approvalExpired, "Nobody has approved this call, or the approval is over.")
        }
        calls[id]?.step = .running(isPermitted: false)
        return call
    }

    /// Whether the request for permission is that of a call that a person has approved: the same tool, with the same
    /// arguments, byte by byte. Each approval allows one request.
    mutating func permits(_ prompt: OpenPrompt, in key: String) -> Bool {
        let input = prompt.request["input"]?.sorted().encoded
        let found = calls.first { _, entry in
            entry.step == .running(isPermitted: false) && entry.call.key == key
                && entry.call.name == prompt.toolName && entry.call.arguments.sorted().encoded == input
        }
        guard let found else { return false }
        calls[found.key]?.step = .running(isPermitted: true)
        return true
    }

    mutating func finish(_ id: String, _ result: [UInt8], now: Double) {
        calls[id]?.step = .over(result: result, until: now + ToolCalls.keptSeconds)
    }

    /// The next part of a result. After the last one the result is forgotten.
    mutating func piece(of id: String, from offset: Int) throws(CommandRefusal) -> (text: String, bytes: Int) {
        guard case .over(let result, _)? = calls[id]?.step, (0...result.count).contains(offset) else {
            throw CommandRefusal(.failed, "The result is not here.")
        }
        var end = min(result.count, offset + ToolCalls.pieceBytes)
        // No character is cut.
        while end < result.count, end > offset, result[end] & 0xC0 == 0x80 { end -= 1 }
        if end == result.count { calls[id] = nil }
        return (String(decoding: result[offset..<end], as: UTF8.self), result.count)
    }

    mutating func remove(_ id: String) { calls[id] = nil }

    /// The key of the client that makes the call.
    func key(of id: String) -> String? { calls[id]?.call.key }

    /// The calls that nobody will have run or fetched any more.
    mutating func removeAllButRunning() {
        calls = calls.filter { if case .running = $0.value.step { true } else { false } }
    }

    mutating func expire(now: Double) {
        calls = calls.filter { _, entry in
            switch entry.step {
            case .approved(let until), .over(_, let until): now < until
            case .asking, .running: true
            }
        }
    }

    /// When `expire` has something to do next.
    var deadline: Double? {
        calls.values.compactMap { entry in
            switch entry.step {
            case .approved(let until), .over(_, let until): until
            case .asking, .running: nil
            }
        }.min()
    }

    /// Whether the session is needed for a call.
    func areIn(_ key: String) -> Bool {
        calls.values.contains { entry in
            guard entry.call.key == key else { return false }
            if case .over = entry.step { return false }
            return true
        }
    }
}

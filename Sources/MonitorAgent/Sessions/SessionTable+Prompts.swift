internal import ClaudeRunner
internal import JSON
internal import MachinePolicy

extension SessionTable {
    /// What the machine's files say about a prompt.
    enum Verdict: Equatable {
        /// - Parameter deniesAfter: seconds after which it is denied.
        case ask(policy: String, deniesAfter: Int?)
        case deny(message: String)
    }

    static let refusal = "The files of this machine let nobody answer this from another device."
    static let lateRefusal = "Nobody answered in time. The approvals file of this machine then denies."
    static let sizeRefusal = "The request is too large to be shown on another device."
    /// Bytes of a prompt on the wire.
    private static let promptBytes = 1_000_000

    /// - Parameter isHost: no session asks, but a process that only runs tools.
    mutating func promptOpened(
        _ prompt: OpenPrompt,
        _ hook: JSONValue,
        _ verdict: Verdict,
        in key: String,
        isHost: Bool = false,
        at time: String,
        now: Double
    ) -> [Action] {
        guard isHost || lines[key] != nil else { return [] }
        let id = HoldID.of(session: key, request: prompt.id)
        guard holds[id] == nil else { return [] }
        switch verdict {
        case .deny(let message): return [.reply(key: key, prompt: prompt.id, SessionTable.denial(prompt, message))]
        case .ask(let policy, let deniesAfter):
            let hold = Hold(
                id: id,
                key: key,
                prompt: prompt,
                hook: hook,
                event: PromptEnvelope.event(hook, id: id, at: time),
                policy: policy,
                deadline: deniesAfter.map { now + Double($0) },
                seconds: deniesAfter ?? SessionTable.longestHold
            )
            guard SessionTable.size(SessionTable.params(hold, lines[key])) <= SessionTable.promptBytes else {
                return [.reply(key: key, prompt: prompt.id, SessionTable.denial(prompt, SessionTable.sizeRefusal))]
            }
            self.hold(hold)
            return deliver()
        }
    }

    /// The client no longer asks.
    mutating func promptWithdrawn(_ promptID: String, in key: String, reason: String) -> [Action] {
        let id = HoldID.of(session: key, request: promptID)
        guard let hold = holds[id] else { return [] }
        remove(hold, lines[key]?.id ?? key, reason: reason)
        return deliver()
    }

    /// The client has taken an answer.
    mutating func answered(_ id: String) { forget(id) }

    /// The earliest time at which `tick` has something to do.
    var deadline: Double? {
        (holds.values.compactMap(\.deadline) + throttleDeadlines + screens.values.compactMap(\.deadline)).min()
    }

    mutating func tick(now: Double) -> [Action] {
        var actions = duePartials(now) + dueScreens(now)
        for hold in holds.values.sorted(by: { $0.id < $1.id }) {
            guard let deadline = hold.deadline, deadline <= now else { continue }
            remove(hold, lines[hold.key]?.id ?? hold.key, reason: "expired")
            let denial = SessionTable.denial(hold.prompt, SessionTable.lateRefusal)
            actions.append(.reply(key: hold.key, prompt: hold.prompt.id, denial))
        }
        return actions + deliver()
    }

    static func denial(_ prompt: OpenPrompt, _ message: String) -> PromptReply {
        prompt.isElicitation
            ? .elicitation(action: "decline", content: nil) : .deny(message: message, interrupt: false)
    }

    /// The answer for the client.
    static func reply(_ answer: CheckedAnswer) -> PromptReply {
        switch answer {
        case .allow(let input, let permissions): .allow(updatedInput: input, permissions: permissions)
        case .deny(let message, let interrupt):
            .deny(message: message ?? "The user denied this from another device.", interrupt: interrupt)
        case .form(let action, let content): .elicitation(action: action, content: content)
        }
    }

    // MARK: On the wire

    static func params(_ hold: Hold, _ line: Line?) -> JSONValue {
        .object([
            ("session_id", .string(line?.id ?? hold.key)), ("hold_id", .string(hold.id)),
            ("seconds", .integer(Int64(max(1, hold.seconds)))), ("policy", .string(hold.policy)), ("event", hold.event),
        ])
    }

    static func state(_ line: Line, more: [(String, JSONValue)] = []) -> JSONValue {
        var members: [(String, JSONValue)] = [
            ("session_id", .string(line.id)), ("state", .string(line.state.rawValue)),
            ("cwd", .string(line.directory)), ("mode", .string(line.mode)),
            ("restricted", .bool(line.isRestricted)), ("queue", .array(line.queue.map(JSONValue.string))),
        ]
        if line.hasTerminal { members.append(("terminal", .bool(true))) }
        if let model = line.model { members.append(("model", .string(model))) }
        members.append(line.isParked ? ("parked", .bool(true)) : ("pid", .integer(Int64(line.pid))))
        if let continues = line.continues { members.append(("continues", .string(continues))) }
        return .object(members + more)
    }

    static func size(_ value: JSONValue) -> Int {
        var writer = JSONWriter()
        writer.value(value)
        return writer.bytes.count
    }
}

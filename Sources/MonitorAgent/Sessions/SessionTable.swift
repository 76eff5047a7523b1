internal import ClaudeRunner
internal import JSON
internal import MachinePolicy
internal import RPC

/// What the agent knows of its sessions and has told the server: one method for each input, each with the actions that
/// follow. Pure; times are seconds of one monotonic clock.
struct SessionTable {
    /// A session on the wire.
    struct Line: Equatable {
        /// The id with which it was started; names its files.
        var key: String
        /// The id under which the client goes on now.
        var id: String
        /// The session that this one goes on after `/clear`.
        var continues: String?
        var pid: Int32
        var directory: String
        var state: ClaudeState
        var mode: String
        var model: String?
        var isRestricted: Bool
        var queue: [String]
        var hasTerminal = false
        /// Its process has ended to save memory.
        var isParked = false
    }

    /// A prompt that waits for somebody.
    struct Hold: Equatable {
        var id: String
        var key: String
        var prompt: OpenPrompt
        var hook: JSONValue
        var event: JSONValue
        var policy: String
        /// When the machine's file denies it.
        var deadline: Double?
        var seconds: Int
        var delivery = Delivery.unsaid
    }

    enum Delivery: Equatable {
        case unsaid
        case underway
        case known
        /// The server does not take it.
        case refused
    }

    struct Withdrawal: Equatable {
        var holdID: String
        var sessionID: String
        var reason: String
        var isUnderway = false
    }

    /// What a call to the server was about.
    enum Subject: Hashable {
        case greeting
        case open(String)
        case withdraw(String)
    }

    enum Action: Equatable {
        case call(Subject, String, JSONValue)
        case notify(String, JSONValue)
        /// Give the client this answer.
        case reply(key: String, prompt: String, PromptReply)
        /// Try again what was not delivered, after this many seconds.
        case retry(Double)
        case drop
    }

    static let longestHold = 86_400
    /// Bytes of prompts in one greeting; others follow one by one.
    private static let greetingBytes = 512 << 10
    private static let mostWithdrawals = 1000
    private static let retrySeconds = 1.0

    private(set) var lines: [String: Line] = [:]
    private(set) var holds: [String: Hold] = [:]
    private(set) var withdrawals: [Withdrawal] = []
    private(set) var isGreeted = false
    var throttles: [String: PartialThrottle] = [:]
    var screens: [String: ScreenThrottle] = [:]
    /// The ends of sessions, and of messages, while the server did not listen.
    private var unsaid: [(method: String, params: JSONValue)] = []
    /// The prompts that the greeting underway contains.
    private var greeted: Set<String> = []

    /// The session of an id on the wire.
    func key(of id: String) -> String? { lines.values.first { $0.id == id }?.key }

    // MARK: The link

    /// The connection is open. `greeting` completes the parameters of `initialize`.
    mutating func linkOpened(_ greeting: [(String, JSONValue)]) -> [Action] {
        isGreeted = false
        greeted = []
        var room = SessionTable.greetingBytes
        let sessions = lines.values.sorted { $0.key < $1.key }.map { line -> JSONValue in
            let prompts = holds.values.filter { $0.key == line.key }.sorted { $0.id < $1.id }.compactMap { hold in
                let params = SessionTable.params(hold, lines[hold.key])
                let size = SessionTable.size(params)
                guard size <= room, hold.delivery != .refused else { return nil as JSONValue? }
                room -= size
                greeted.insert(hold.id)
                return params
            }
            return SessionTable.state(line, more: [("prompts", .array(prompts))])
        }
        for id in holds.keys where holds[id]?.delivery != .refused { holds[id]?.delivery = .unsaid }
        for index in withdrawals.indices { withdrawals[index].isUnderway = false }
        return [.call(.greeting, "initialize", .object(greeting + [("sessions", .array(sessions))]))]
    }

    mutating func linkLost() {
        isGreeted = false
        for id in holds.keys where holds[id]?.delivery == .underway { holds[id]?.delivery = .unsaid }
        for key in throttles.keys { throttles[key]?.linkLost() }
        screens = [:]
        for index in withdrawals.indices { withdrawals[index].isUnderway = false }
    }

    mutating func callEnded(_ subject: Subject, _ outcome: RPCOutcome) -> [Action] {
        switch subject {
        case .greeting:
            guard case .completed = outcome else { return [.drop] }
            isGreeted = true
            for id in greeted { holds[id]?.delivery = .known }
            let early = unsaid.map { Action.notify($0.method, $0.params) }
            unsaid = []
            return early + deliver()
        case .open(let id):
            guard holds[id] != nil else { return [] }
            holds[id]?.delivery = SessionTable.delivery(outcome)
            return holds[id]?.delivery == .unsaid ? [.retry(SessionTable.retrySeconds)] : []
        case .withdraw(let id):
            guard let index = withdrawals.firstIndex(where: { $0.holdID == id }) else { return [] }
            guard SessionTable.delivery(outcome) == .unsaid else {
                withdrawals.remove(at: index)
                return []
            }
            withdrawals[index].isUnderway = false
            return [.retry(SessionTable.retrySeconds)]
        }
    }

    private static func delivery(_ outcome: RPCOutcome) -> Delivery {
        switch outcome {
        case .completed: .known
        case .timedOut, .ended: .unsaid
        case .failed(let error): error.data?["retry"] == .bool(true) || error.code == -32603 ? .unsaid : .refused
        }
    }

    /// What the server does not know yet. Both calls are harmless if they are repeated.
    mutating func deliver() -> [Action] {
        guard isGreeted else { return [] }
        var actions: [Action] = []
        for index in withdrawals.indices where !withdrawals[index].isUnderway {
            withdrawals[index].isUnderway = true
            let withdrawal = withdrawals[index]
            actions.append(
                .call(
                    .withdraw(withdrawal.holdID),
                    "prompt/withdrawn",
                    .object([
                        ("session_id", .string(withdrawal.sessionID)), ("hold_id", .string(withdrawal.holdID)),
                        ("reason", .string(withdrawal.reason)),
                    ])
                )
            )
        }
        for id in holds.keys.sorted() where holds[id]?.delivery == .unsaid {
            guard let hold = holds[id] else { continue }
            holds[id]?.delivery = .underway
            actions.append(.call(.open(id), "prompt/open", SessionTable.params(hold, lines[hold.key])))
        }
        return actions
    }

    mutating func remove(_ hold: Hold, _ sessionID: String, reason: String) {
        holds[hold.id] = nil
        // What the server has never heard of needs no word. A call may have reached it without an answer.
        guard hold.delivery != .refused else { return }
        withdrawals.append(Withdrawal(holdID: hold.id, sessionID: sessionID, reason: reason))
        if withdrawals.count > SessionTable.mostWithdrawals { withdrawals.removeFirst() }
    }

    mutating func hold(_ hold: Hold) { holds[hold.id] = hold }

    mutating func forget(_ id: String) { holds[id] = nil }

    // MARK: Sessions

    mutating func began(_ line: Line) -> [Action] {
        lines[line.key] = line
        throttles[line.key] = PartialThrottle()
        return tell(line)
    }

    /// Something about the session has changed.
    mutating func changed(_ line: Line) -> [Action] {
        guard let old = lines[line.key], old != line else { return [] }
        lines[line.key] = line
        guard old.id != line.id else { return tell(line) }
        var ended = old
        ended.state = .ended
        return end(ended, [("reason", .string("clear"))]) + tell(line)
    }

    mutating func ended(_ key: String, reason: String, code: Int32?, signal: Int32?, errors: String) -> [Action] {
        guard var line = lines.removeValue(forKey: key) else { return [] }
        throttles[key] = nil
        screens[key] = nil
        let open = holds.values.filter { $0.key == key }
        for hold in open { remove(hold, line.id, reason: "gone") }
        line.state = .ended
        line.queue = []
        var exit: [(String, JSONValue)] = []
        if let code { exit.append(("code", .integer(Int64(code)))) }
        if let signal { exit.append(("signal", .integer(Int64(signal)))) }
        if !errors.isEmpty { exit.append(("stderr", .string(errors))) }
        return end(line, [("reason", .string(reason)), ("exit", .object(exit))]) + deliver()
    }

    /// The session's process has ended, and starts again with the next message.
    mutating func parked(_ key: String, model: String?) -> [Action] {
        guard var line = lines[key] else { return [] }
        throttles[key] = nil
        (line.state, line.isParked, line.pid, line.queue, line.model) = (.idle, true, 0, [], model)
        lines[key] = line
        return tell(line)
    }

    /// A session that another key stands for now.
    mutating func replaced(_ key: String) {
        lines[key] = nil
        throttles[key] = nil
    }

    /// A session of an earlier agent that runs no more.
    mutating func vanished(_ id: String, directory: String, reason: String) -> [Action] {
        let line = Line(
            key: id,
            id: id,
            pid: 0,
            directory: directory,
            state: .ended,
            mode: "default",
            model: nil,
            isRestricted: false,
            queue: []
        )
        return end(line, [("reason", .string(reason))])
    }

    private mutating func end(_ line: Line, _ more: [(String, JSONValue)]) -> [Action] {
        let params = SessionTable.state(line, more: more)
        return say("session/state", params)
    }

    /// Tells the server, or keeps it until the server can be told.
    mutating func say(_ method: String, _ params: JSONValue) -> [Action] {
        guard !isGreeted else { return [.notify(method, params)] }
        unsaid.append((method, params))
        if unsaid.count > 100 { unsaid.removeFirst() }
        return []
    }

    private func tell(_ line: Line) -> [Action] {
        isGreeted ? [.notify("session/state", SessionTable.state(line))] : []
    }

    mutating func turnEnded(_ turn: TurnEnd, in key: String) -> [Action] {
        guard isGreeted, let line = lines[key] else { return [] }
        var members: [(String, JSONValue)] = [
            ("session_id", .string(line.id)), ("message_ids", .array(turn.messageIDs.map(JSONValue.string))),
            ("subtype", .string(turn.subtype)), ("is_error", .bool(turn.isError)), ("ours", .bool(turn.isOurs)),
        ]
        if let reason = turn.terminalReason { members.append(("terminal_reason", .string(reason))) }
        return [.notify("turn/ended", .object(members))]
    }
}

import ClaudeRunner
import JSON
import MachinePolicy
import RPC
import Testing

@testable import MonitorAgent

@Suite("What the server is told")
struct SessionTableTests {
    private let key = "11111111-1111-4111-8111-111111111111"

    private func line(_ state: ClaudeState = .idle, id: String? = nil) -> SessionTable.Line {
        SessionTable.Line(
            key: key,
            id: id ?? key,
            pid: 7,
            directory: "/p",
            state: state,
            mode: "default",
            model: nil,
            isRestricted: false,
            queue: []
        )
    }

    private func prompt(_ id: String = "r1") -> OpenPrompt {
        OpenPrompt(
            id: id,
            toolUseID: "t",
            agentID: nil,
            toolName: "Bash",
            request: .object([("subtype", .string("can_use_tool")), ("input", .object([("command", .string("ls"))]))])
        )
    }

    private func greeted() -> SessionTable {
        var table = SessionTable()
        _ = table.began(line())
        _ = table.linkOpened([])
        _ = table.callEnded(.greeting, .completed(.object([])))
        return table
    }

    private func opened(
        _ table: inout SessionTable,
        _ verdict: SessionTable.Verdict = .ask(policy: "who=answer", deniesAfter: nil),
        _ prompt: OpenPrompt? = nil,
        now: Double = 0
    ) -> [SessionTable.Action] {
        table.promptOpened(prompt ?? self.prompt(), .object([]), verdict, in: key, at: "t", now: now)
    }

    private var hold: String { HoldID.of(session: key, request: "r1") }

    private func methods(_ actions: [SessionTable.Action]) -> [String] {
        actions.compactMap { action in
            switch action {
            case .call(_, let method, _), .notify(let method, _): method
            case .reply: "reply"
            case .retry: "retry"
            case .drop: "drop"
            }
        }
    }

    @Test("nothing is told before the greeting is answered")
    func beforeGreeting() {
        var table = SessionTable()
        #expect(table.began(line()).isEmpty)
        #expect(opened(&table).isEmpty)
        #expect(table.partial("m", "x", replaces: false, in: key, now: 0).isEmpty)
        let actions = table.linkOpened([("protocol", .array([.integer(1)]))])
        guard case .call(.greeting, "initialize", let params) = actions.first else {
            Issue.record("no greeting")
            return
        }
        #expect(params["sessions"]?.array?.first?["prompts"]?.array?.first?["hold_id"]?.string == hold)
        #expect(opened(&table, .ask(policy: "", deniesAfter: nil), prompt("r2")).isEmpty)
        // Only what the greeting did not contain follows it.
        #expect(methods(table.callEnded(.greeting, .completed(.object([])))) == ["prompt/open"])
        #expect(table.holds[hold]?.delivery == .known)
    }

    @Test("a greeting that is refused ends the connection")
    func refusedGreeting() {
        var table = SessionTable()
        _ = table.linkOpened([])
        #expect(methods(table.callEnded(.greeting, .failed(.parseError()))) == ["drop"])
        #expect(!table.isGreeted)
        _ = table.linkOpened([])
        #expect(methods(table.callEnded(.greeting, .timedOut)) == ["drop"])
    }

    @Test("a prompt is opened once, and again if that is not certain")
    func retries() {
        var table = greeted()
        #expect(methods(opened(&table)) == ["prompt/open"])
        #expect(opened(&table).isEmpty && table.deliver().isEmpty)
        #expect(methods(table.callEnded(.open(hold), .failed(.unavailable()))) == ["retry"])
        #expect(methods(table.deliver()) == ["prompt/open"])
        #expect(methods(table.callEnded(.open(hold), .timedOut)) == ["retry"])
        #expect(methods(table.deliver()) == ["prompt/open"])
        #expect(table.callEnded(.open(hold), .completed(.object([]))).isEmpty)
        #expect(table.deliver().isEmpty)
        #expect(table.callEnded(.open("unknown"), .timedOut).isEmpty)
    }

    @Test("a prompt that the server does not take is not repeated")
    func refusedPrompt() {
        var table = greeted()
        _ = opened(&table)
        #expect(table.callEnded(.open(hold), .failed(.invalidParameter("event", "is strange"))).isEmpty)
        #expect(table.deliver().isEmpty)
        table.linkLost()
        let greeting = table.linkOpened([])
        guard case .call(_, _, let params) = greeting.first else {
            Issue.record("no greeting")
            return
        }
        #expect(params["sessions"]?.array?.first?["prompts"]?.array?.isEmpty == true)
        #expect(table.callEnded(.greeting, .completed(.object([]))).isEmpty)
        #expect(table.promptWithdrawn("r1", in: key, reason: "cancelled").isEmpty)
    }

    @Test("what nobody may answer is denied, and the server hears nothing")
    func denied() {
        var table = greeted()
        let actions = opened(&table, .deny(message: "no"))
        #expect(actions == [.reply(key: key, prompt: "r1", .deny(message: "no", interrupt: false))])
        #expect(table.holds.isEmpty)
        var form = prompt()
        form.request = .object([("subtype", .string("elicitation"))])
        #expect(
            opened(&table, .deny(message: "no"), form)
                == [.reply(key: key, prompt: "r1", .elicitation(action: "decline", content: nil))]
        )
    }

    @Test("a request that is too large for the wire is denied")
    func tooLarge() {
        var table = greeted()
        var large = prompt()
        large.request = .object([("input", .string("x"))])
        let hook = JSONValue.object([("tool_input", .string(String(repeating: "x", count: 1_000_001)))])
        let verdict = SessionTable.Verdict.ask(policy: "", deniesAfter: nil)
        let actions = table.promptOpened(large, hook, verdict, in: key, at: "t", now: 0)
        #expect(methods(actions) == ["reply"] && table.holds.isEmpty)
    }

    @Test("prompts beyond a greeting's room follow it")
    func manyPrompts() {
        var table = SessionTable()
        _ = table.began(line())
        let hook = JSONValue.object([("tool_input", .string(String(repeating: "x", count: 300_000)))])
        for number in 0..<5 {
            let verdict = SessionTable.Verdict.ask(policy: "", deniesAfter: nil)
            _ = table.promptOpened(prompt("r\(number)"), hook, verdict, in: key, at: "t", now: 0)
        }
        guard case .call(_, _, let params) = table.linkOpened([]).first else {
            Issue.record("no greeting")
            return
        }
        #expect(SessionTable.size(params) < 700_000)
        #expect(params["sessions"]?.array?.first?["prompts"]?.array?.count == 1)
        #expect(methods(table.callEnded(.greeting, .completed(.object([])))).count == 4)
    }

    @Test("the time of a rule that then denies")
    func expiry() {
        var table = greeted()
        _ = opened(&table, .ask(policy: "", deniesAfter: 60), now: 100)
        #expect(table.deadline == 160)
        #expect(table.tick(now: 159).isEmpty)
        let actions = table.tick(now: 160)
        #expect(methods(actions).sorted() == ["prompt/withdrawn", "reply"])
        #expect(table.holds.isEmpty && table.deadline == nil)
    }

    @Test("a withdrawal is told until the server knows it")
    func withdrawals() {
        var table = greeted()
        _ = opened(&table)
        _ = table.callEnded(.open(hold), .completed(.object([])))
        #expect(methods(table.promptWithdrawn("r1", in: key, reason: "cancelled")) == ["prompt/withdrawn"])
        #expect(table.promptWithdrawn("r1", in: key, reason: "cancelled").isEmpty)
        table.linkLost()
        _ = table.callEnded(.withdraw(hold), .ended)
        _ = table.linkOpened([])
        #expect(methods(table.callEnded(.greeting, .completed(.object([])))) == ["prompt/withdrawn"])
        #expect(table.callEnded(.withdraw(hold), .completed(.object([]))).isEmpty)
        #expect(table.withdrawals.isEmpty && table.deliver().isEmpty)
    }

    @Test("an end while the link is lost is told afterwards")
    func endings() {
        var table = greeted()
        _ = opened(&table)
        table.linkLost()
        #expect(table.ended(key, reason: "exit", code: 1, signal: nil, errors: "oops").isEmpty)
        #expect(table.lines.isEmpty && table.holds.isEmpty)
        _ = table.linkOpened([])
        let actions = table.callEnded(.greeting, .completed(.object([])))
        #expect(methods(actions) == ["session/state", "prompt/withdrawn"])
        guard case .notify(_, let params) = actions.first else { return }
        #expect(params["state"]?.string == "ended" && params["exit"]?["stderr"]?.string == "oops")
    }

    @Test("a state is told once, and a new id ends the old one")
    func states() {
        var table = greeted()
        #expect(table.changed(line()).isEmpty)
        #expect(methods(table.changed(line(.running))) == ["session/state"])
        let actions = table.changed(line(.idle, id: "22222222-2222-4222-8222-222222222222"))
        #expect(methods(actions) == ["session/state", "session/state"])
        guard case .notify(_, let ended) = actions[0] else { return }
        #expect(ended["session_id"]?.string == key && ended["reason"]?.string == "clear")
        #expect(table.key(of: key) == nil && table.key(of: "22222222-2222-4222-8222-222222222222") == key)
    }

    @Test("a parked session is idle, has no process, and is restated")
    func parked() throws {
        var table = greeted()
        guard case .notify(_, let told)? = table.parked(key, model: "opus").first else {
            Issue.record("nothing is told")
            return
        }
        #expect(told["parked"]?.bool == true && told["state"]?.string == "idle" && told["pid"] == nil)
        #expect(told["model"]?.string == "opus")
        guard case .call(_, _, let greeting)? = table.linkOpened([]).first else { return }
        #expect(greeting["sessions"]?.array?.first?["parked"]?.bool == true)
        #expect(table.parked("other", model: nil).isEmpty)
    }

    @Test("the id of a prompt")
    func holdID() {
        #expect(HoldID.of(session: key, request: "r1") == HoldID.of(session: key, request: "r1"))
        #expect(HoldID.of(session: key, request: "r1") != HoldID.of(session: key, request: "r2"))
        #expect(Array(hold.utf8)[14] == UInt8(ascii: "8"))
    }
}

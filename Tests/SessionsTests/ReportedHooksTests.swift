import EventModel
import Testing

@testable import Sessions

@Suite("Hooks that run twice")
struct ReportedHooksTests {
    private static let turn: [(name: String, fields: String, tool: String?)] = [
        ("UserPromptSubmit", #""prompt":"once","prompt_id":"p1""#, nil),
        ("PreToolUse", #""tool_input":{"command":"ls"},"tool_use_id":"t1","prompt_id":"p1""#, "Bash"),
        ("PostToolUseFailure", #""tool_input":{},"tool_use_id":"t1","error":"no","total_cost_usd":0.5"#, "Bash"),
        ("PostToolUse", #""tool_input":{"command":"ls"},"tool_use_id":"t2","usage":{"input_tokens":3}"#, "Bash"),
        ("Stop", #""last_assistant_message":"done","prompt_id":"p1""#, nil),
    ]

    @Test("two reports of each hook count once, whatever the order of arrival", arguments: 0..<50)
    func twice(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        var events: [CommittedEvent] = []
        for (place, hook) in ReportedHooksTests.turn.enumerated() {
            for copy in 0...1 {
                let seconds = Double(place * 5) + Double(copy) * 0.3
                let seq = Int64(place * 2 + copy + 1)
                events.append(Hooks.event(hook.name, seconds, hook.fields, tool: hook.tool, seq: seq, delay: 1))
            }
        }
        var state = SessionState(id: "s1")
        for event in events.shuffled(using: &random) { state.apply(event) }
        let session = try #require(state.session)
        #expect((session.messageCount, session.toolCallCount) == (2, 2))
        #expect((session.totalCost, session.tokenUsage.input) == (0.5, 3))
    }

    @Test("a hook without a turn's id is the same within two seconds")
    func withoutTurn() {
        var hooks = Hooks()
        hooks.add("UserPromptSubmit", 0, #""prompt":"go on""#, delay: 1)
        hooks.add("UserPromptSubmit", 0.1, #""prompt":"go on""#, delay: 1)
        #expect(hooks.state.session?.messageCount == 1)
        hooks.add("UserPromptSubmit", 10, #""prompt":"go on""#, delay: 1)
        #expect(hooks.state.session?.messageCount == 2)
    }

    @Test("different hooks are counted each")
    func different() {
        var hooks = Hooks()
        hooks.add("UserPromptSubmit", 0, #""prompt":"a","prompt_id":"p1""#)
        hooks.add("UserPromptSubmit", 0, #""prompt":"a","prompt_id":"p2""#)
        hooks.add("PostToolUse", 1, #""tool_use_id":"t1","tool_input":{}"#, tool: "Bash")
        hooks.add("PostToolUse", 1, #""tool_use_id":"t2","tool_input":{}"#, tool: "Bash")
        hooks.add("PostToolUse", 1, #""tool_input":{}"#, tool: "Bash")
        hooks.add("PostToolUse", 1, #""tool_input":{}"#, tool: "Bash")
        #expect(hooks.state.session?.messageCount == 2)
        #expect(hooks.state.session?.toolCallCount == 4)
    }

    @Test("one failure that is reported twice is no loop")
    func loop() {
        var watch = RepeatWatch()
        func fail(_ id: String, _ seconds: Double, seq: Int64) {
            let fields = #""tool_use_id":"\#(id)","tool_input":{},"error":"no""#
            guard let hook = HookEvent(Hooks.event("PostToolUseFailure", seconds, fields, tool: "Bash", seq: seq))
            else { return }
            watch.take(hook)
        }
        fail("t1", 0, seq: 1)
        fail("t1", 0.1, seq: 2)
        fail("t2", 5, seq: 3)
        fail("t2", 5.1, seq: 4)
        #expect(watch.loop == nil)
        fail("t3", 10, seq: 5)
        #expect(watch.loop?.count == 3)
    }

    @Test("the reports are bounded and survive storage")
    func storage() {
        var hooks = Hooks()
        for number in 0..<100 {
            hooks.add("PostToolUse", Double(number), #""tool_use_id":"t\#(number)","tool_input":{}"#, tool: "Bash")
        }
        let reported = hooks.state.reported
        #expect(reported.reports.count == ReportedHooks.maximumReports)
        #expect(ReportedHooks(stored: reported.stored) == reported)
    }
}

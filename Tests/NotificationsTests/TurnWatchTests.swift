import EventModel
import Testing

@testable import Notifications

@Suite("Turns")
struct TurnWatchTests {
    @Test("a turn is told with its length from the prompt on")
    func length() {
        var script = Script()
        script.prompt(0)
        script.tool("PreToolUse", 10, "t1")
        script.tool("PostToolUse", 20, "t1")
        script.stop(150)
        let told = script.actions.told
        #expect(told.map(\.kind) == [.finished])
        #expect(told.first?.details.durationSeconds == 150)
        #expect(told.first?.details.summary == "Stop summary")
        #expect(told.first?.details.sessionTitle == "UserPromptSubmit summary")
    }

    @Test("two ends of one turn are told once")
    func twoStops() {
        var script = Script()
        script.prompt(0)
        script.stop(150)
        script.stop(150.1)
        #expect(script.actions.told.count == 1)
    }

    @Test("a turn that goes on by itself takes its end back")
    func goesOn() {
        var script = Script()
        script.prompt(0)
        script.stop(150)
        script.tool("PreToolUse", 152, "t1")
        script.stop(200)
        let actions = script.actions
        #expect(actions.withdrawn.map(\.promptKey) == [actions.told.first?.promptKey])
        #expect(actions.told.map(\.kind) == [.finished, .finished])
    }

    @Test("a turn that a Stop hook keeps going is one turn: told once, with its whole length")
    func blockedStop() {
        for id in ["p1", nil] {
            let more = id.map { #","prompt_id":"\#($0)""# } ?? ""
            var script = Script()
            script.prompt(0, id: id)
            script.stop(150, #""stop_hook_active":false"# + more)
            script.tool("PreToolUse", 154, "t1", more: more)
            script.tool("PostToolUse", 155, "t1", more: more)
            // Delivered twice: the end from before says nothing about what runs now.
            script.add("Stop", 150, #""stop_hook_active":false"# + more, received: 156)
            script.stop(160, #""stop_hook_active":true"# + more)
            let actions = script.actions
            let told = actions.told
            #expect(told.count == 2)
            #expect(actions.withdrawn.map(\.promptKey) == [told.first?.promptKey])
            #expect(told.last?.details.durationSeconds == 160, "\(id ?? "no id")")
            // In this session another end may be none, too.
            #expect(told.first?.notBefore == at(160) && told.last?.notBefore == at(190))
        }
    }

    @Test("a Stop hook that makes the model only say more: each end takes the place of the one before")
    func blockedStopWithoutTools() {
        var script = Script()
        script.prompt(0, id: "p1")
        script.stop(150, #""stop_hook_active":false,"prompt_id":"p1""#)
        script.stop(153, #""stop_hook_active":true,"prompt_id":"p1""#)
        script.stop(170, #""stop_hook_active":true,"prompt_id":"p1""#)
        script.stop(170.2, #""stop_hook_active":true,"prompt_id":"p1""#)
        let told = script.actions.told
        #expect(told.map(\.details.durationSeconds) == [150, 153, 170])
        #expect(script.actions.withdrawn.map(\.promptKey) == told.dropLast().map(\.promptKey))
        #expect(script.actions.withdrawn.allSatisfy { $0.resolved == nil })
    }

    @Test("another prompt is another turn, and so is work of a prompt that was lost")
    func anotherPrompt() {
        var script = Script()
        script.prompt(0, id: "p1")
        script.stop(150, #""stop_hook_active":true,"prompt_id":"p1""#)
        script.prompt(300, id: "p2")
        script.stop(310, #""stop_hook_active":false,"prompt_id":"p2""#)
        script.tool("PreToolUse", 400, "t1", more: #","prompt_id":"p3""#)
        script.stop(420, #""stop_hook_active":false,"prompt_id":"p3""#)
        #expect(script.actions.told.map(\.details.durationSeconds) == [150, 10, 20])
    }

    @Test("what was told as finished is replaced in silence when the person types on, as long as it was of use")
    func typesOn() {
        for (later, isReplaced) in [(200.0, true), (150 + 5 * 3600, false)] {
            var script = Script()
            script.prompt(0)
            script.stop(150)
            script.prompt(later)
            let withdrawal = script.actions.withdrawn.first
            #expect(withdrawal?.reason == .turnWentOn)
            let told = script.actions.told.first
            #expect(withdrawal?.resolved?.collapseID == (isReplaced ? told?.collapseID : nil))
            #expect(withdrawal?.resolved?.kind == (isReplaced ? .resolved : nil))
        }
    }

    @Test("hooks that ran before the end and arrive after it do not take it back")
    func lateEvents() {
        var script = Script()
        script.prompt(0)
        script.stop(150)
        script.add("PostToolUse", 149.9, #""tool_use_id":"t1""#, tool: "Bash", received: 150.2)
        script.add("PreToolUse", 150.3, #""tool_use_id":"t2""#, tool: "Bash")
        #expect(script.actions.withdrawn.isEmpty)
        #expect(script.actions.told.count == 1)
    }

    @Test("nothing is finished while a subagent runs; its end finishes the turn")
    func subagent() {
        var script = Script()
        script.prompt(0)
        script.add("SubagentStart", 5, #""agent_id":"a1","agent_type":"Explore""#)
        script.stop(100)
        #expect(script.actions.told.isEmpty)
        script.add("SubagentStop", 130, #""agent_id":"a1","agent_type":"Explore""#)
        #expect(script.actions.told.map(\.details.durationSeconds) == [130])
    }

    @Test("work in the background holds the turn over the prompt that Claude gives itself")
    func backgroundTasks() {
        var script = Script()
        script.prompt(0)
        script.stop(100, #""background_tasks":[{"id":"b","type":"workflow","status":"running"}]"#)
        script.add("UserPromptSubmit", 200, #""prompt":"<task-notification>done""#)
        script.stop(210, #""background_tasks":[]"#)
        #expect(script.actions.told.map(\.details.durationSeconds) == [210])
    }

    @Test("a shell in the background may run for ever and holds nothing")
    func backgroundShell() {
        var script = Script()
        script.prompt(0)
        script.stop(100, #""background_tasks":[{"id":"b","type":"shell","status":"running"}]"#)
        #expect(script.actions.told.count == 1)
    }

    @Test("an agent whose end was lost holds a turn for half an hour at most, and no turn that says nothing runs")
    func lostAgent() {
        var script = Script()
        script.add("SubagentStart", 0, #""agent_id":"a1","agent_type":"Explore""#)
        script.prompt(10)
        script.stop(20)
        #expect(script.actions.told.isEmpty)
        script.prompt(1900)
        script.stop(1950)
        #expect(script.actions.told.count == 1)
        var other = Script()
        other.add("SubagentStart", 0, #""agent_id":"a1","agent_type":"Explore""#)
        other.prompt(10)
        other.stop(20, #""background_tasks":[]"#)
        #expect(other.actions.told.count == 1)
    }

    @Test("the CLI's own helpers are no subagents")
    func helpers() {
        var script = Script()
        script.prompt(0)
        script.add("SubagentStop", 50, #""agent_id":"x","agent_type":"""#)
        #expect(script.actions.told.isEmpty)
        script.stop(60)
        #expect(script.actions.told.count == 1)
    }

    @Test("an interrupted tool ends the turn without a word")
    func interrupt() {
        var script = Script()
        script.prompt(0)
        script.tool("PostToolUseFailure", 100, "t1", more: #","is_interrupt":true"#)
        script.prompt(300)
        script.stop(310)
        #expect(script.actions.told.map(\.details.durationSeconds) == [10])
    }

    @Test("an error is told once in 15 minutes and per type, and ends the turn")
    func errors() {
        var script = Script()
        script.prompt(0)
        script.add("StopFailure", 100, #""error":"rate_limit""#)
        script.prompt(110)
        script.add("StopFailure", 120, #""error":"rate_limit""#)
        script.prompt(130)
        script.add("StopFailure", 140, #""error":"billing_error""#)
        script.prompt(1000)
        script.add("StopFailure", 1001, #""error":"rate_limit""#)
        let told = script.actions.told
        #expect(told.map(\.details.reason) == ["rate_limit", "billing_error", "rate_limit"])
        #expect(told.map(\.defaultLevel) == [.active, .timeSensitive, .active])
        #expect(Set(told.map(\.collapseID)).count == 2)
    }

    @Test("a long tool shortly before the end is part of the end")
    func merged() {
        var script = Script()
        script.prompt(0)
        script.tool("PostToolUse", 100, "t1", more: #","duration_ms":90000"#)
        script.stop(110)
        let actions = script.actions
        #expect(actions.told.map(\.kind) == [.longTool, .finished])
        #expect(actions.withdrawn.map(\.reason) == [.merged])
        #expect(actions.withdrawn.first?.promptKey == actions.told.first?.promptKey)
    }

    @Test("a long tool well before the end is told by itself")
    func notMerged() {
        var script = Script()
        script.prompt(0)
        script.tool("PostToolUse", 100, "t1", more: #","duration_ms":90000"#)
        script.stop(140)
        #expect(script.actions.withdrawn.isEmpty)
        #expect(script.actions.told.first?.notBefore == at(115))
    }

    @Test("an older CLI tells no duration: the start of the tool does")
    func olderCLI() {
        var script = Script()
        script.tool("PreToolUse", 0, "t1")
        script.tool("PostToolUse", 75, "t1")
        #expect(script.actions.told.map(\.details.durationSeconds) == [75])
    }

    @Test("starts and ends of sessions are told once")
    func sessions() {
        var script = Script()
        script.add("SessionStart", 0, #""source":"startup""#)
        script.add("SessionStart", 1, #""source":"startup""#)
        script.add("SessionStart", 50, #""source":"compact""#)
        script.add("SessionEnd", 100, #""reason":"prompt_input_exit""#)
        #expect(script.actions.raised.map(\.kind) == [.sessionStarted, .sessionEnded])
        #expect(script.actions.raised.last?.details.reason == "prompt_input_exit")
    }

    @Test("whoever leaves by hand has seen the end of the turn; a program's end leaves it to be told")
    func leaving() {
        for (reason, withdrawn) in [("prompt_input_exit", 1), ("other", 0)] {
            var script = Script()
            script.prompt(0)
            script.stop(150)
            script.add("SessionEnd", 152, #""reason":"\#(reason)""#)
            #expect(script.actions.withdrawn.count == withdrawn)
        }
    }

    @Test("a notice grows old with its event where nobody waits")
    func expiry() {
        var script = Script()
        script.prompt(0)
        script.add("Stop", 150, received: 7200)
        #expect(script.actions.told.first?.expiresAt == at(150 + 4 * 3600))
    }

    @Test("a Live Activity is told of each change and of nothing else")
    func activity() {
        var script = Script()
        script.prompt(0)
        script.tool("PreToolUse", 5, "t1")
        script.ask(5.1)
        script.notify("permission_prompt", 11)
        script.tool("PostToolUse", 20, "t1")
        script.stop(30)
        script.add("SessionEnd", 40, #""reason":"other""#)
        let states = script.actions.activities
        #expect(states.map(\.phase) == [.running, .running, .waiting, .running, .idle, .ended])
        #expect(states.map(\.pending) == [0, 0, 1, 0, 0, 0])
        #expect(states.map(\.toolName) == [nil, "Bash", "Bash", "Bash", nil, nil])
        #expect(states[1].since == at(0))
    }
}

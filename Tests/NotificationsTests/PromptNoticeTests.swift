import EventModel
import Testing

@testable import Notifications

@Suite("Prompts")
struct PromptNoticeTests {
    @Test("start of the tool, request and notification of one dialog are one notice and its reminder")
    func onePrompt() {
        var script = Script()
        script.prompt(0)
        script.tool("PreToolUse", 10, "t1")
        script.ask(10.1)
        script.notify("permission_prompt", 16.2)
        let actions = script.actions
        #expect(actions.told.map(\.kind) == [.permission])
        #expect(actions.raised.filter(\.isReminder).map(\.kind) == [.permission])
        #expect(actions.told.first?.details.toolUseID == "t1")
        #expect(actions.told.first?.details.pending == 1)
        #expect(actions.withdrawn.isEmpty)
    }

    @Test("a tool alone asks nobody")
    func toolAlone() {
        var script = Script()
        script.prompt(0)
        script.tool("PreToolUse", 10, "t1")
        #expect(script.actions.told.isEmpty)
    }

    @Test("the result withdraws the prompt, its reminder and replaces what was sent")
    func answered() {
        var script = Script()
        script.tool("PreToolUse", 10, "t1")
        script.ask(10.1)
        script.tool("PostToolUse", 40, "t1", more: #","duration_ms":200"#)
        let actions = script.actions
        let prompt = actions.told.first
        #expect(actions.withdrawn.map(\.promptKey) == [prompt?.key])
        #expect(actions.withdrawn.first?.reason == .answeredElsewhere)
        let resolved = actions.withdrawn.first?.resolved
        #expect(resolved?.kind == .resolved)
        #expect(resolved?.collapseID == prompt?.collapseID)
        #expect(resolved?.details.pending == 0)
        #expect(resolved?.details.summary == nil)
    }

    @Test("a tool that ran at once was allowed by itself, however long it ran")
    func autoApproved() {
        var script = Script()
        script.tool("PreToolUse", 10, "t1")
        script.ask(10.1)
        script.tool("PostToolUse", 40, "t1", more: #","duration_ms":29500"#)
        #expect(script.actions.withdrawn.map(\.reason) == [.autoApproved])
    }

    @Test("a running time that no tool can have is one", arguments: ["1e300", "9e18", "1e308", "-1e300"])
    func absurdDuration(milliseconds: String) {
        var script = Script()
        script.tool("PreToolUse", 10, "t1")
        script.ask(10.1)
        script.tool("PostToolUse", 40, "t1", more: ",\"duration_ms\":\(milliseconds)")
        let expected = milliseconds.hasPrefix("-") ? WithdrawalReason.answeredElsewhere : .autoApproved
        #expect(script.actions.withdrawn.map(\.reason) == [expected])
    }

    @Test("an answer with another input ends the prompt by the call's id")
    func editedInput() {
        var script = Script()
        script.tool("PreToolUse", 10, "t1", "rm -r build")
        script.ask(10.1, "rm -r build")
        script.tool("PostToolUse", 30, "t1", "rm -r build/tmp")
        #expect(script.actions.withdrawn.map(\.reason) == [.answeredElsewhere])
    }

    @Test("an answer with another input ends the only prompt of its tool where no id is known")
    func editedInputWithoutIDs() {
        var script = Script()
        script.ask(10, "rm -r build")
        script.tool("PostToolUse", 30, "t1", "rm -r build/tmp")
        #expect(script.actions.withdrawn.count == 1)
    }

    @Test("two calls of one tool are two where contents are not stored")
    func withoutContents() {
        var script = Script()
        script.ask(10, "ls")
        script.ask(11, "rm x")
        script.tool("PostToolUse", 30, "t2", "rm x")
        script.dropPayloads()
        let actions = script.actions
        #expect(actions.told.count == 2)
        #expect(actions.withdrawn.map(\.promptKey) == [actions.told.last?.promptKey])
    }

    @Test("another call's result leaves the prompt open")
    func otherCall() {
        var script = Script()
        script.tool("PreToolUse", 9, "t0", "make")
        script.tool("PreToolUse", 10, "t1", "rm x")
        script.ask(10.1, "rm x")
        script.tool("PostToolUse", 12, "t0", "make")
        #expect(script.actions.withdrawn.isEmpty)
    }

    @Test("several prompts are counted, and what remains is told to devices that were told of more")
    func batch() {
        var script = Script()
        for (index, input) in ["a", "b", "c"].enumerated() {
            script.tool("PreToolUse", 10 + Double(index), "t\(index)", input)
            script.ask(10.1 + Double(index), input)
        }
        script.tool("PostToolUse", 30, "t1", "b")
        let actions = script.actions
        #expect(actions.told.map(\.details.pending) == [1, 2, 3])
        #expect(Set(actions.told.map(\.collapseID)).count == 1)
        #expect(actions.withdrawn.map(\.resolved?.details.pending) == [2])
    }

    @Test(
        "what ends the agent's turn ends its prompts",
        arguments: [
            ("Stop", "", WithdrawalReason.turnWentOn),
            ("StopFailure", #""error":"overloaded""#, .turnWentOn),
            ("UserPromptSubmit", #""prompt":"no, other""#, .turnWentOn),
            ("PostToolBatch", #""tool_calls":[]"#, .answeredElsewhere),
            ("SessionEnd", #""reason":"other""#, .sessionEnded),
            ("SessionStart", #""source":"resume""#, .sessionEnded),
        ]
    )
    func turnEnds(hook: String, fields: String, reason: WithdrawalReason) {
        var script = Script()
        script.ask(10)
        script.add(hook, 30, fields)
        #expect(script.actions.withdrawn.filter { $0.promptKey.hasPrefix("p:") }.map(\.reason) == [reason])
    }

    @Test("compaction leaves prompts open")
    func compaction() {
        var script = Script()
        script.ask(10, more: #","agent_id":"a1""#)
        script.add("SessionStart", 11, #""source":"compact""#)
        #expect(script.actions.withdrawn.isEmpty)
    }

    @Test("the end of the main agent's turn leaves a background agent's prompt open, its own end does not")
    func agents() {
        var script = Script()
        script.ask(10, more: #","agent_id":"a1""#)
        script.stop(20)
        #expect(script.actions.withdrawn.isEmpty)
        script.add("SubagentStop", 25, #""agent_id":"a1","agent_type":"Explore""#)
        #expect(script.actions.withdrawn.filter { $0.promptKey.hasPrefix("p:") }.map(\.reason) == [.turnWentOn])
    }

    @Test("an event from before the prompt does not end it, however late it comes")
    func lateStop() {
        var script = Script()
        script.ask(10)
        script.add("Stop", 5, received: 12)
        script.add("PostToolBatch", 6, received: 12)
        #expect(script.actions.withdrawn.isEmpty)
    }

    @Test("a request that comes after the result of its call is not told")
    func requestAfterResult() {
        var script = Script()
        script.tool("PreToolUse", 10, "t1")
        script.tool("PostToolUse", 10.4, "t1")
        script.ask(10.1)
        #expect(script.actions.told.isEmpty)
    }

    @Test("nor one that was stamped on arrival, shortly after the result")
    func requestStampedOnArrival() {
        var script = Script()
        script.tool("PreToolUse", 10, "t1")
        script.tool("PostToolUse", 10.4, "t1")
        script.ask(10.5)
        #expect(script.actions.told.isEmpty)
    }

    @Test("the same command asked for again is a new prompt")
    func sameCommandAgain() {
        var script = Script()
        script.tool("PreToolUse", 10, "t1")
        script.ask(10.1)
        script.tool("PostToolUse", 20, "t1")
        script.tool("PreToolUse", 20.5, "t2")
        script.ask(20.6)
        #expect(script.actions.told.count == 2)
        #expect(Set(script.actions.told.map(\.key)).count == 2)
    }

    @Test("the same command after a refusal that fired no hook closes the first prompt")
    func refusedAndTriedAgain() {
        var script = Script()
        script.tool("PreToolUse", 10, "t1")
        script.ask(10.1)
        script.tool("PreToolUse", 30, "t2")
        script.ask(30.1)
        let actions = script.actions
        #expect(actions.told.count == 2)
        #expect(actions.withdrawn.map(\.promptKey) == [actions.told.first?.key])
    }

    @Test("a hook that is installed twice tells of one prompt, open or answered")
    func installedTwice() {
        var script = Script()
        script.tool("PreToolUse", 10, "t1")
        script.ask(10.1)
        script.ask(10.1)
        #expect(script.actions.told.count == 1)
        script.tool("PostToolUse", 10.15, "t1")
        script.ask(10.1)
        #expect(script.actions.told.count == 1)
    }

    @Test("a dialog without a request is told of by its notification, once")
    func notificationAlone() {
        var script = Script()
        script.prompt(0)
        script.notify("permission_prompt", 16)
        script.notify("permission_prompt", 22)
        #expect(script.actions.told.map(\.kind) == [.permission])
        script.tool("PostToolUse", 30, "t1")
        #expect(script.actions.withdrawn.map(\.reason) == [.turnWentOn])
    }

    @Test("a notification that comes after the answer, or after the turn, is not told")
    func notificationTooLate() {
        var script = Script()
        script.tool("PreToolUse", 10, "t1")
        script.ask(10.1)
        script.tool("PostToolUse", 16.5, "t1", more: #","duration_ms":10"#)
        script.notify("permission_prompt", 16.4, received: 17)
        #expect(script.actions.told.count == 1)
        script.stop(30)
        script.notify("permission_prompt", 29, received: 31)
        #expect(script.actions.told.filter { $0.kind == .permission }.count == 1)
    }

    @Test("a notification that has overtaken its request is the same prompt")
    func notificationFirst() {
        var script = Script()
        script.tool("PreToolUse", 10, "t1")
        script.notify("permission_prompt", 16)
        script.add("PermissionRequest", 10.1, #""tool_input":{"command":"ls"}"#, tool: "Bash", received: 16.2)
        script.tool("PostToolUse", 40, "t1")
        let actions = script.actions
        #expect(actions.told.count == 1)
        #expect(actions.withdrawn.count == 1)
    }

    @Test("prompts beyond the bound push the oldest out, which is withdrawn")
    func bound() {
        var script = Script()
        for index in 0..<20 { script.ask(Double(index), "command \(index)") }
        let actions = script.actions
        #expect(actions.told.count == 20)
        #expect(actions.withdrawn.map(\.reason) == Array(repeating: .forgotten, count: 4))
        #expect(actions.withdrawn.map(\.promptKey) == Array(actions.told.map(\.key).prefix(4)))
    }

    @Test("without stored inputs calls are told apart by their tool")
    func withoutContent() {
        var script = Script()
        script.add("PreToolUse", 10, #""tool_use_id":"t1""#, tool: "Bash")
        script.add("PermissionRequest", 10.1, tool: "Bash")
        script.add("PostToolUse", 30, #""tool_use_id":"t1""#, tool: "Bash")
        #expect(script.actions.told.count == 1)
        #expect(script.actions.withdrawn.count == 1)
    }

    @Test("a late request is told as open from its arrival, and grace counts from there")
    func arrivedLate() {
        var script = Script()
        script.add("PermissionRequest", 0, #""tool_input":{"command":"ls"}"#, tool: "Bash", received: 3000)
        let told = script.actions.told.first
        #expect(told?.raisedAt == at(3000))
        #expect(told?.expiresAt == at(3600))
    }

    @Test("calls side by side that only their ids tell apart are prompts of their own")
    func sideBySide() {
        var script = Script()
        script.tool("PreToolUse", 10, "t1")
        script.tool("PreToolUse", 10, "t2")
        script.ask(10.1)
        script.ask(10.2)
        script.tool("PostToolUse", 30, "t2")
        let actions = script.actions
        #expect(Set(actions.told.map(\.details.toolUseID)) == ["t1", "t2"])
        #expect(actions.withdrawn.count == 1)
    }
}

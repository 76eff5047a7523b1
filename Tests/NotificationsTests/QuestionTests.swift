import EventModel
import Testing

@testable import Notifications

@Suite("Questions")
struct QuestionTests {
    @Test(
        "questions and plans are questions, whichever event tells of them first",
        arguments: [
            ("AskUserQuestion", "question", "Which?"), ("ExitPlanMode", "plan", "PreToolUse summary"),
        ]
    )
    func questions(tool: String, reason: String, summary: String) {
        let input = #"{"questions":[{"question":"Which?"}]}"#
        let fields = #""tool_use_id":"t1","tool_input":"# + input
        var script = Script()
        script.add("PreToolUse", 10, fields, tool: tool)
        script.add("PermissionRequest", 10.1, #""tool_input":"# + input, tool: tool)
        script.notify("permission_prompt", 16.1)
        script.notify("agent_needs_input", 16.2)
        let actions = script.actions
        #expect(actions.raised.map(\.kind) == [.question])
        #expect(actions.raised.first?.details.reason == reason)
        #expect(actions.raised.first?.details.summary == summary)
        script.add("PostToolUse", 60, fields, tool: tool)
        #expect(script.actions.withdrawn.count == 1)
        #expect(script.actions.withdrawn.first?.resolved?.collapseID == actions.raised.first?.collapseID)
    }

    @Test("an elicitation is one question from its dialog to its result")
    func elicitation() {
        var script = Script()
        script.add("Elicitation", 10, #""mcp_server_name":"jira","message":"Which project?""#)
        script.notify("elicitation_dialog", 10.2)
        script.add("ElicitationResult", 30, #""mcp_server_name":"jira","action":"accept""#)
        script.notify("elicitation_response", 30.1)
        script.notify("elicitation_dialog", 10.3, received: 31)
        let actions = script.actions
        #expect(actions.told.map(\.details.reason) == ["elicitation"])
        #expect(actions.withdrawn.map(\.reason) == [.answeredElsewhere])
    }

    @Test("idle is told once per wait, and not while a turn runs")
    func idle() {
        var script = Script()
        script.prompt(0)
        script.stop(10)
        script.notify("idle_prompt", 70)
        script.notify("idle_prompt", 130)
        #expect(script.actions.told.map(\.kind) == [.finished, .question])
        #expect(script.actions.told.last?.details.durationSeconds == 10)
        script.prompt(200)
        #expect(script.actions.withdrawn.last?.reason == .turnWentOn)
        script.notify("idle_prompt", 201)
        #expect(script.actions.told.count == 2)
    }

    @Test("an interrupted turn ends without an event, and is idle all the same")
    func idleAfterInterrupt() {
        var script = Script()
        script.prompt(0)
        script.tool("PreToolUse", 5, "t1")
        script.notify("idle_prompt", 65)
        #expect(script.actions.told.map(\.details.reason) == ["idle_prompt"])
    }
}

import EventModel
import JSON
import Testing

@testable import Sessions

/// An opening and an ending event, and what the prompt is afterwards.
struct PromptCase: Sendable, CustomTestStringConvertible {
    var opening = (hook: "PermissionRequest", fields: Hooks.toolInput, tool: Optional("Bash"))
    var ending: (hook: String, fields: String, tool: String?)
    /// Of the ending; the opening is at 10.
    var seconds = 40.0
    var state: Prompt.State
    var by: Prompt.Answerer?
    var decision: Prompt.Decision?

    var testDescription: String { "\(opening.hook) \(ending.hook) \(ending.fields) at \(seconds)" }
}

private let question = (
    hook: "PreToolUse", fields: #""tool_use_id":"t1","tool_input":{"questions":[{"question":"Which?"}]}"#,
    tool: Optional("AskUserQuestion")
)
private let plan = (
    hook: "PreToolUse", fields: #""tool_use_id":"t1","tool_input":{"plan":"do it"}"#, tool: Optional("ExitPlanMode")
)
private let elicitation = (hook: "Elicitation", fields: #""mcp_server_name":"jira""#, tool: String?.none)
private let idle = (hook: "Notification", fields: #""notification_type":"idle_prompt""#, tool: String?.none)
private let needsInput = (hook: "Notification", fields: #""notification_type":"agent_needs_input""#, tool: String?.none)
private let dialog = (hook: "Notification", fields: #""notification_type":"permission_prompt""#, tool: String?.none)
private let bashDialog = (
    hook: "Notification",
    fields: #""notification_type":"permission_prompt","message":"Claude needs your permission to use Bash""#,
    tool: String?.none
)
private let updateDialog = (
    hook: "Notification", fields: bashDialog.fields.replacing("Bash", with: "Update"), tool: String?.none
)
private let subagentDialog = (
    hook: "Notification", fields: #""notification_type":"permission_prompt","agent_id":"a1""#, tool: String?.none
)
private let subagent = (hook: "PermissionRequest", fields: #""agent_id":"a1","tool_input":{}"#, tool: Optional("Bash"))
private let result = #""tool_use_id":"t1",\#(Hooks.toolInput)"#
private let ofSubagent = #""agent_id":"a1",\#(result)"#
private let ofExplorer = #""agent_id":"a1","agent_type":"Explore""#
private let edited = #""tool_use_id":"t1","tool_input":{"command":"ls -l"}"#

private let ends: [PromptCase] = [
    // The call's own result.
    PromptCase(ending: ("PostToolUse", result, "Bash"), state: .answered, by: .terminal, decision: .allow),
    PromptCase(ending: ("PostToolUseFailure", result, "Bash"), state: .answered, by: .terminal, decision: .allow),
    PromptCase(ending: ("PostToolUse", edited, "Bash"), state: .answered, by: .terminal, decision: .allow),
    PromptCase(ending: ("PostToolUse", result, "Bash"), seconds: 11, state: .answered, by: .rule, decision: .allow),
    PromptCase(
        ending: ("PostToolUse", result + #","duration_ms":29500"#, "Bash"),
        state: .answered,
        by: .rule,
        decision: .allow
    ),
    PromptCase(ending: ("PermissionDenied", result, "Bash"), state: .answered, by: .rule, decision: .deny),
    PromptCase(
        opening: question,
        ending: ("PostToolUse", #""tool_use_id":"t1","tool_input":{"answers":{}}"#, "AskUserQuestion"),
        state: .answered,
        by: .terminal
    ),
    PromptCase(
        opening: plan,
        ending: ("PostToolUse", #""tool_use_id":"t1","tool_input":{}"#, "ExitPlanMode"),
        state: .answered,
        by: .terminal,
        decision: .allow
    ),
    PromptCase(
        opening: elicitation,
        ending: ("ElicitationResult", #""mcp_server_name":"jira","action":"accept""#, nil),
        state: .answered,
        by: .terminal
    ),
    PromptCase(
        opening: elicitation,
        ending: ("Notification", #""notification_type":"elicitation_response""#, nil),
        state: .answered,
        by: .terminal
    ),
    // What the agent does next.
    PromptCase(opening: dialog, ending: ("PostToolUse", result, "Bash"), state: .overtaken),
    PromptCase(opening: dialog, ending: ("PostToolUseFailure", result, "Read"), state: .overtaken),
    PromptCase(opening: dialog, ending: ("PostToolBatch", #""tool_calls":[]"#, nil), state: .overtaken),
    PromptCase(opening: bashDialog, ending: ("PostToolUse", result, "Bash"), state: .overtaken),
    PromptCase(opening: updateDialog, ending: ("PostToolUse", result, "Edit"), state: .overtaken),
    PromptCase(opening: subagentDialog, ending: ("PostToolUse", ofSubagent, "Bash"), state: .overtaken),
    PromptCase(opening: needsInput, ending: ("PostToolUse", result, "Bash"), state: .overtaken),
    PromptCase(ending: ("Stop", "", nil), state: .overtaken),
    PromptCase(ending: ("StopFailure", #""error":"overloaded""#, nil), state: .overtaken),
    PromptCase(ending: ("UserPromptSubmit", #""prompt":"no""#, nil), state: .overtaken),
    PromptCase(ending: ("PostToolBatch", #""tool_calls":[]"#, nil), state: .overtaken),
    PromptCase(opening: plan, ending: ("PostToolBatch", #""tool_calls":[]"#, nil), state: .overtaken),
    PromptCase(ending: ("PermissionRequest", Hooks.toolInput, "Bash"), state: .overtaken),
    PromptCase(
        opening: question,
        ending: ("PreToolUse", question.fields.replacing("t1", with: "t2"), "AskUserQuestion"),
        state: .overtaken
    ),
    PromptCase(
        opening: subagent,
        ending: ("SubagentStop", #""agent_id":"a1","agent_type":"Explore""#, nil),
        state: .overtaken
    ),
    // The session.
    PromptCase(ending: ("SessionEnd", #""reason":"other""#, nil), state: .gone),
    PromptCase(ending: ("SessionStart", #""source":"resume""#, nil), state: .gone),
    PromptCase(opening: idle, ending: ("SessionEnd", #""reason":"other""#, nil), state: .gone),
    // Input.
    PromptCase(opening: idle, ending: ("UserPromptSubmit", #""prompt":"go""#, nil), state: .answered, by: .terminal),
    PromptCase(
        opening: needsInput,
        ending: ("UserPromptSubmit", #""prompt":"go""#, nil),
        state: .answered,
        by: .terminal
    ),
    PromptCase(
        opening: idle,
        ending: ("UserPromptSubmit", #""prompt":"<task-notification>x""#, nil),
        state: .overtaken
    ),
    PromptCase(opening: idle, ending: ("PreToolUse", result, "Bash"), state: .overtaken),
]

private let leftOpen: [PromptCase] = [
    PromptCase(ending: ("SessionStart", #""source":"compact""#, nil), state: .open),
    PromptCase(ending: ("UserPromptSubmit", #""prompt":"<task-notification>x""#, nil), state: .open),
    PromptCase(ending: ("SubagentStop", #""agent_type":"""#, nil), state: .open),
    PromptCase(ending: ("PostToolUse", #""agent_id":"a1",\#(result)"#, "Bash"), state: .open),
    PromptCase(ending: ("PostToolUse", result, "Read"), state: .open),
    PromptCase(opening: dialog, ending: ("PostToolUse", ofSubagent, "Bash"), state: .open),
    PromptCase(opening: dialog, ending: ("PostToolBatch", #""agent_id":"a1","tool_calls":[]"#, nil), state: .open),
    PromptCase(opening: dialog, ending: ("SubagentStop", ofExplorer, nil), state: .open),
    PromptCase(opening: dialog, ending: ("PermissionDenied", result, "Bash"), state: .open),
    PromptCase(opening: bashDialog, ending: ("PostToolUse", result, "Read"), state: .open),
    PromptCase(opening: subagentDialog, ending: ("PostToolUse", result, "Bash"), state: .open),
    PromptCase(opening: needsInput, ending: ("PostToolUse", ofSubagent, "Bash"), state: .open),
    PromptCase(opening: needsInput, ending: ("SubagentStop", ofExplorer, nil), state: .open),
    PromptCase(opening: idle, ending: ("PostToolUse", result, "Bash"), state: .open),
    PromptCase(opening: elicitation, ending: ("PostToolUse", result, "Bash"), state: .open),
    PromptCase(ending: ("PreToolUse", result, "Bash"), state: .open),
    PromptCase(ending: ("Stop", "", nil), seconds: 5, state: .open),
    PromptCase(opening: subagent, ending: ("Stop", "", nil), state: .open),
    PromptCase(opening: subagent, ending: ("UserPromptSubmit", #""prompt":"go""#, nil), state: .open),
    PromptCase(opening: elicitation, ending: ("PostToolBatch", #""tool_calls":[]"#, nil), state: .open),
    PromptCase(opening: elicitation, ending: ("ElicitationResult", #""mcp_server_name":"git""#, nil), state: .open),
]

@Suite("How prompts end")
struct PromptEndTests {
    @Test("every end says how it was and what shows it", arguments: ends)
    func end(example: PromptCase) throws {
        var hooks = Hooks()
        let opened = hooks.add(example.opening.hook, 10, example.opening.fields, tool: example.opening.tool).opened
        let changes = hooks.add(example.ending.hook, example.seconds, example.ending.fields, tool: example.ending.tool)
        let closed = try #require(changes.closed.first)
        #expect(changes.closed.count == 1)
        #expect(closed.id == opened?.id)
        #expect(closed.state == example.state)
        #expect(closed.answeredBy == example.by)
        #expect(closed.decision == example.decision)
        #expect(closed.closedAt == Hooks.time(example.seconds))
        #expect(closed.evidence == Hooks.id(2))
        #expect(!hooks.tracker.open.contains { $0.id == closed.id })
    }

    @Test("what does not concern a prompt leaves it open", arguments: leftOpen)
    func open(example: PromptCase) {
        var hooks = Hooks()
        let opened = hooks.add(example.opening.hook, 10, example.opening.fields, tool: example.opening.tool).opened
        let changes = hooks.add(example.ending.hook, example.seconds, example.ending.fields, tool: example.ending.tool)
        #expect(opened != nil && changes.closed.isEmpty)
        #expect(hooks.tracker.open.map(\.id) == [opened?.id])
    }

    @Test("a call whose start was seen is known by its id, whatever input the person allowed")
    func editedInput() throws {
        var hooks = Hooks()
        let opened = hooks.ask(10, id: "t1").opened
        let closed = try #require(hooks.add("PostToolUse", 40, edited, tool: "Bash").closed.first)
        #expect(closed.id == opened?.id && closed.state == .answered)
        #expect(closed.answeredBy == .terminal && closed.decision == .allow)
    }

    @Test("another call whose start was seen is not taken for the prompt's")
    func otherCall() {
        var hooks = Hooks()
        hooks.add("PreToolUse", 5, edited, tool: "Bash")
        hooks.ask(10)
        #expect(hooks.add("PostToolUse", 40, edited, tool: "Bash").isEmpty)
    }

    @Test("a prompt beyond the bound pushes the oldest out, without evidence")
    func bound() throws {
        var hooks = Hooks()
        var opened: [Prompt] = []
        for index in 0..<PromptTracker.maximumPrompts {
            opened += [hooks.ask(Double(index) * 5, #""tool_input":{"command":"\#(index)"}"#).opened].compactMap(\.self)
        }
        let changes = hooks.ask(200, #""tool_input":{"command":"last"}"#)
        let closed = try #require(changes.closed.first)
        #expect(closed.id == opened.first?.id)
        #expect(closed.state == .overtaken && closed.evidence == nil && closed.answeredBy == nil)
        #expect(changes.opened != nil)
        #expect(hooks.tracker.open.count == PromptTracker.maximumPrompts)
    }

    @Test("an ended prompt is stored and read back", arguments: ends)
    func storage(example: PromptCase) throws {
        var hooks = Hooks()
        hooks.add(example.opening.hook, 10, example.opening.fields, tool: example.opening.tool)
        let open = try #require(hooks.tracker.open.first)
        let changes = hooks.add(example.ending.hook, example.seconds, example.ending.fields, tool: example.ending.tool)
        for prompt in changes.closed + [open] {
            var writer = JSONWriter()
            prompt.write(to: &writer)
            #expect(Prompt(stored: try JSONValue.parse(writer.bytes)) == prompt)
        }
    }
}

import EventModel
import JSON
import Testing

@testable import Sessions

@Suite("How prompts open")
struct PromptOpeningTests {
    @Test("a permission has Claude's id where its call was seen, else its own")
    func ids() throws {
        var hooks = Hooks()
        let known = try #require(hooks.ask(10, id: "toolu_1").opened)
        #expect(known.id == "prm_0190b7c4000070000000000000000002")
        #expect(known.toolUseID == "toolu_1" && known.callID == "toolu_1")
        let unknown = try #require(hooks.ask(20, #""tool_input":{"command":"make"}"#).opened)
        #expect(unknown.toolUseID == unknown.id && unknown.callID == nil)
        hooks.add("PreToolUse", 19.9, #""tool_use_id":"t2","tool_input":{"command":"make"}"#, tool: "Bash")
        let learned = try #require(hooks.tracker.open.last)
        #expect(learned.toolUseID == unknown.id, "the id that clients know stays")
        #expect(learned.callID == "t2")
    }

    @Test("what is asked is kept with it")
    func contents() throws {
        var hooks = Hooks()
        let permission = try #require(hooks.ask(10).opened)
        #expect(
            (permission.kind, permission.title, permission.detail) == (.permission, "Bash", "PermissionRequest summary")
        )
        #expect(permission.workspaceID == "ws-1" && permission.machine == MachineID(rawValue: 1))
        #expect(permission.sessionID == "s1" && permission.openingSeq == 1 && permission.openedAt == Hooks.time(10))
        let asked = #""tool_use_id":"q","tool_input":{"questions":[{"question":"Which?"}]}"#
        let question = try #require(hooks.add("PreToolUse", 20, asked, tool: "AskUserQuestion").opened)
        #expect((question.kind, question.question) == (.question, "Which?"))
        #expect(hooks.add("PermissionRequest", 20.1, asked, tool: "AskUserQuestion").opened == nil)
        let server = try #require(
            hooks.add("Elicitation", 30, #""mcp_server_name":"jira","message":"Which project?""#).opened
        )
        #expect((server.kind, server.title, server.question) == (.elicitation, "jira", "Which project?"))
        #expect(hooks.tracker.open.map(\.kind) == [.permission, .question, .elicitation])
    }

    @Test("the start of a call that follows its answered request opens nothing", arguments: ["answered", "dismissed"])
    func lateStart(step: String) throws {
        var hooks = Hooks()
        let asked = #""tool_use_id":"q","tool_input":{"questions":[{"question":"Which?"}]}"#
        let question = try #require(hooks.add("PermissionRequest", 10.1, asked, tool: "AskUserQuestion").opened)
        let answer = #""answer":{"id":"a","decision":"allow","by":{"kind":"device"},"at":"2026-01-05T10:00:10Z"}"#
        let event = Hooks.event("Stop", 10.2, seq: 900).replacing {
            ($0.type, $0.hookEventName) = (.promptUpdated, nil)
            $0.payload = Array(#"{"prompt_id":"\#(question.id)","step":"\#(step)",\#(answer)}"#.utf8)
        }
        let update = try #require(PromptUpdate(event))
        #expect(hooks.tracker.take(update).closed.map(\.id) == [question.id])
        #expect(hooks.add("PreToolUse", 10, asked, tool: "AskUserQuestion", delay: 0.3).opened == nil)
        #expect(hooks.tracker.open.isEmpty)
    }

    @Test("a call that was asked for makes no session busy")
    func requestedCalls() throws {
        var hooks = Hooks()
        hooks.add("UserPromptSubmit", 0, #""prompt":"go""#)
        hooks.add("Stop", 10)
        let asked = try #require(hooks.ask(20, #""tool_use_id":"toolu_monitor_1","tool_input":{"text":"a"}"#).opened)
        #expect(asked.callID == "toolu_monitor_1")
        hooks.add("PreToolUse", 21, #""tool_use_id":"toolu_mcp_call_1","tool_input":{"text":"b"}"#, tool: "Bash")
        hooks.add("PostToolUse", 22, #""tool_use_id":"toolu_mcp_call_1","tool_input":{"text":"b"}"#, tool: "Bash")
        #expect(hooks.state.activity.latest?.value.state == .idle)
        #expect(hooks.tracker.open.map(\.openedBy) == [asked.openedBy])
    }

    @Test("what the session does besides does not end the prompt of a call that was asked for")
    func requestedCallsStay() throws {
        var hooks = Hooks()
        let asked = try #require(hooks.ask(20, #""tool_use_id":"toolu_monitor_1","tool_input":{"text":"a"}"#).opened)
        hooks.add("UserPromptSubmit", 30, #""prompt":"go""#)
        hooks.add("PreToolUse", 31, #""tool_use_id":"toolu_1","tool_input":{"text":"a"}"#, tool: asked.toolName ?? "")
        hooks.add("PostToolUse", 32, #""tool_use_id":"toolu_1","tool_input":{"text":"a"}"#, tool: asked.toolName ?? "")
        hooks.add("PostToolBatch", 33)
        hooks.add("Stop", 34)
        hooks.add("StopFailure", 35)
        #expect(hooks.tracker.open.map(\.openedBy) == [asked.openedBy])
        hooks.add("SessionEnd", 40, #""reason":"other""#)
        #expect(hooks.tracker.open.isEmpty)
    }

    @Test("idle is a prompt for input that nobody waits with; an agent that needs input waits")
    func input() throws {
        var hooks = Hooks()
        hooks.add("UserPromptSubmit", 0, #""prompt":"go""#)
        hooks.add("Stop", 10)
        let idle = try #require(hooks.notify("idle_prompt", 70).opened)
        #expect(idle.kind == .input && !idle.isWaitedFor)
        let session = try #require(hooks.state.session)
        #expect(session.state == .idle && session.waitingFor == nil)
        #expect(session.prompts.map(\.id) == [idle.id])
        #expect(hooks.notify("idle_prompt", 130).isEmpty)
        let wanted = try #require(hooks.notify("agent_needs_input", 140).opened)
        #expect(wanted.kind == .input && wanted.isWaitedFor)
        #expect(hooks.state.session?.waitingFor?.toolUseID == wanted.id)
        #expect(hooks.state.session?.state == .waiting)
        hooks.add("UserPromptSubmit", 150, #""prompt":"here""#)
        #expect(hooks.state.session?.prompts.isEmpty == true)
        #expect(hooks.notify("idle_prompt", 160).isEmpty, "the turn runs")
    }

    @Test("a request at the time of what began its turn is of that turn, one at the time of its end is late")
    func boundaries() {
        for (boundary, isOpened) in [
            ("UserPromptSubmit", true), ("SessionStart", true), ("Stop", false), ("PostToolBatch", false),
        ] {
            var hooks = Hooks()
            hooks.add(boundary, 10)
            #expect((hooks.ask(10).opened != nil) == isOpened, "\(boundary)")
            #expect(hooks.ask(9).opened == nil, "\(boundary)")
        }
    }

    @Test(
        "a request that overtakes the start of its call, right after a batch, opens its prompt",
        arguments: [true, false]
    )
    func overtakesItsStart(isPlan: Bool) throws {
        for startsFirst in [true, false] {
            var hooks = Hooks()
            let tool = isPlan ? "ExitPlanMode" : "Bash"
            func add(_ name: String, _ seconds: Double, _ fields: String = "", tool: String? = nil) -> [PromptChange] {
                hooks.add(name, seconds, fields, tool: tool, delay: 0.05)
            }
            _ = add("PostToolBatch", 10)
            let start = { add("PreToolUse", 10.1, #""tool_use_id":"t1",\#(Hooks.toolInput)"#, tool: tool) }
            if startsFirst { _ = start() }
            let opened = add("PermissionRequest", 10.2, Hooks.toolInput, tool: tool).opened
            let request = Hooks.id(startsFirst ? 3 : 2)
            if !startsFirst { #expect(start().opened == nil) }
            let prompt = try #require(hooks.tracker.open.first)
            #expect(hooks.tracker.open.count == 1 && prompt.callID == "t1")
            #expect(prompt.openedBy == request || prompt.requestedBy == request, "the hold finds it")
            #expect(opened != nil || isPlan)
            #expect(add("PostToolUse", 12, #""tool_use_id":"t1",\#(Hooks.toolInput)"#, tool: tool).closed.count == 1)
        }
    }

    @Test("a dialog's notification confirms what was asked before it")
    func confirmed() throws {
        var hooks = Hooks()
        let first = try #require(hooks.ask(10).opened)
        #expect(hooks.notify("permission_prompt", 16) == [.confirmed(first)])
        #expect(hooks.tracker.announcesDialogs)
    }

    @Test("a session waits with its oldest prompt, under the prompt's id and in its own workspace")
    func session() throws {
        var hooks = Hooks()
        hooks.ask(10, id: "toolu_1")
        hooks.ask(20, #""tool_input":{"command":"make"}"#)
        let session = try #require(hooks.state.session)
        #expect(session.waitingFor?.toolUseID == "toolu_1" && session.waitingFor?.since == Hooks.time(10))
        #expect(session.pendingPermissions.map(\.toolUseID) == ["toolu_1", Prompt.id(Hooks.id(3))])
        #expect(Set(session.prompts.map(\.workspaceID)) == [session.workspaceID])
    }

    @Test("a tracker is stored and read back at any point")
    func storage() throws {
        var hooks = Hooks()
        func check() throws {
            var writer = JSONWriter()
            hooks.tracker.write(to: &writer)
            #expect(PromptTracker(stored: try JSONValue.parse(writer.bytes)) == hooks.tracker)
        }
        try check()
        hooks.ask(10, id: "t1")
        hooks.ask(20, #""agent_id":"a1","tool_input":{"command":"make"}"#)
        try check()
        _ = hooks.notify("permission_prompt", 26)
        hooks.add("Elicitation", 30, #""mcp_server_name":"jira""#)
        hooks.add("ElicitationResult", 31, #""mcp_server_name":"jira""#)
        try check()
        hooks.add("PostToolUse", 40, #""tool_use_id":"t1",\#(Hooks.toolInput)"#, tool: "Bash")
        hooks.add("Stop", 50)
        hooks.add("SessionEnd", 60)
        try check()
    }

    @Test("an event that is no prompt is taken without a look at its payload")
    func payloadsAreLeftAlone() {
        var hooks = Hooks()
        hooks.ask(10, id: "t1")
        let before = hooks.tracker.open
        // A payload that would say more than the facts, were it read.
        let event = Hooks.event("PreToolUse", 20, #""tool_use_id":"t2","tool_input":{}"#, tool: "Read", seq: 9)
            .replacing { $0.payload = Array("{".utf8) }
        let hook = HookEvent(event)
        #expect(hook.map { hooks.tracker.take($0) } == [])
        #expect(hooks.tracker.open == before)
        #expect(hook?.details == HookDetails())
    }
}

@Suite("Hook events")
struct HookEventTests {
    @Test("the sender's clock counts unless it is far ahead")
    func time() {
        let event = Hooks.event("Stop", 0)
        for (ahead, expected) in [(-86_400.0, -86_400.0), (299, 299), (301, 0)] {
            let shifted = event.replacing { $0.timestamp = Hooks.time(ahead) }
            #expect(HookEvent(shifted)?.time == Hooks.time(expected))
        }
    }

    @Test("a hook of another name is none, and the CLI's helpers are known as such")
    func names() {
        #expect(HookEvent(Hooks.event("SomethingNew", 0)) == nil)
        #expect(HookEvent(Hooks.event("SubagentStop", 0, #""agent_type":"""#))?.isInternal == true)
        #expect(HookEvent(Hooks.event("SubagentStop", 0, #""agent_type":"Explore""#))?.isInternal == false)
    }

    @Test("details are those of the payload")
    func details() {
        let fields = #""stop_hook_active":true,"prompt_id":"p","background_tasks":[{"type":"shell"},{"type":"agent"}]"#
        let details = HookEvent(Hooks.event("Stop", 0, fields))?.details
        #expect(details?.isStopHookActive == true && details?.turnID == "p" && details?.backgroundTasks?.count == 1)
        let failed = HookEvent(Hooks.event("PostToolUseFailure", 0, #""is_interrupt":true,"duration_ms":1500"#))?
            .details
        #expect(failed?.isInterrupt == true && failed?.durationSeconds == 1.5)
    }
}

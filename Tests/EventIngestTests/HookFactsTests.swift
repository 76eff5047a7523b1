import EventModel
import Masking
import Testing

@testable import EventIngest

@Suite("HookFacts")
struct HookFactsTests {
    private func facts(_ event: String, _ fields: String, policy: ContentPolicy = .summary) throws -> SessionFacts {
        try IngestDecoder.with(policy: policy).hook(#"{"hook_event_name":"\#(event)"\#(fields)}"#).facts
    }

    @Test("a tool call and its permission request have the same hash")
    func hashes() throws {
        let input = #","tool_name":"Bash","tool_input":{"command":"ls","n":[1,2.5,null,true]}"#
        let other = #","tool_name":"Bash","tool_input":{"command":"ls","n":[1,2.5,null,false]}"#
        let call = try facts("PreToolUse", input + #","tool_use_id":"toolu_1""#)
        let request = try facts("PermissionRequest", input)
        #expect(call.toolUseID == "toolu_1")
        #expect(request.toolUseID == nil)
        #expect(call.toolInputHash != nil)
        #expect(call.toolInputHash == request.toolInputHash)
        #expect(try facts("PermissionRequest", other).toolInputHash != call.toolInputHash)
        #expect(try facts("Stop", "").toolInputHash == nil)
    }

    @Test("the hash is the same in every run")
    func stableHash() throws {
        #expect(try facts("PreToolUse", #","tool_input":{}"#).toolInputHash == 0x08F4_4B07_B590_1A25)
    }

    @Test("the risk of what a prompt asks is judged before anything is masked or cut")
    func risks() throws {
        func risk(_ event: String, _ fields: String, policy: ContentPolicy = .none) throws -> ToolRisk? {
            try facts(event, #","cwd":"/home/u/p""# + fields, policy: policy).risk
        }
        #expect(try risk("PermissionRequest", #","tool_name":"Bash","tool_input":{"command":"git push"}"#) == .publish)
        let far = String(repeating: "echo a; ", count: 1000) + "rm -rf build"
        #expect(try risk("PermissionRequest", #","tool_name":"Bash","tool_input":{"command":"\#(far)"}"#) == .delete)
        #expect(
            try risk("PermissionRequest", #","tool_name":"Edit","tool_input":{"file_path":"/home/u/p/a"}"#) == .edit
        )
        #expect(try risk("PermissionRequest", #","tool_name":"Edit","tool_input":{"file_path":"/etc/a"}"#) == .execute)
        #expect(try risk("PreToolUse", #","tool_name":"ExitPlanMode","tool_input":{}"#) == .read)
        #expect(try risk("PreToolUse", #","tool_name":"Bash","tool_input":{"command":"ls"}"#) == nil)
        #expect(try risk("Elicitation", #","mcp_server_name":"jira""#) == .read)
    }

    @Test("only the session's own model counts")
    func models() throws {
        #expect(try facts("SessionStart", #","model":"claude-opus-5-5""#).model == "claude-opus-5-5")
        #expect(try facts("PostModelSwitch", #","from_model":"a","to_model":"b""#).model == "b")
        #expect(try facts("PreModelSwitch", #","from_model":"a","to_model":"b""#).model == nil)
        #expect(try facts("PostToolUse", #","tool_response":{"resolvedModel":"c"},"model":"d""#).model == nil)
    }

    @Test(
        "the detail is the word that says which",
        arguments: [
            ("SessionStart", "source", "resume"), ("SessionEnd", "reason", "clear"),
            ("Notification", "notification_type", "idle_prompt"), ("StopFailure", "error", "overloaded"),
        ]
    )
    func details(event: String, member: String, value: String) throws {
        #expect(try facts(event, #","\#(member)":"\#(value)""#).detail == value)
        #expect(try facts(event, #","\#(member)":7"#).detail == nil)
        #expect(try facts("Stop", #","\#(member)":"\#(value)""#).detail == nil)
    }

    @Test(
        "prompts that no person typed are told apart",
        arguments: [
            (#","prompt":"hello""#, false), (#","prompt":"<task-notification>\n<id>1</id>""#, true),
            (#","prompt":"\n <system-reminder>x""#, true), (#","prompt":"<b>bold</b>""#, false),
            (#","prompt":"go","source":"user""#, false), (#","prompt":"go","source":"sdk""#, false),
            (#","prompt":"go","source":"loop_wakeup""#, true), ("", false), (#","prompt":7"#, false),
        ]
    )
    func injected(fields: String, isInjected: Bool) throws {
        #expect(try facts("UserPromptSubmit", fields).promptIsInjected == isInjected)
    }

    @Test("subagents, mode and title")
    func others() throws {
        let facts = try facts(
            "UserPromptSubmit",
            #","agent_id":"a1","agent_type":"","permission_mode":"plan","session_title":"My\n work""#
        )
        #expect(facts.agentID == "a1")
        #expect(facts.agentType == "")
        #expect(facts.permissionMode == "plan")
        #expect(facts.title == "My")
        #expect(try self.facts("SessionStart", #","session_title":"My work""#, policy: .none).title == nil)
    }

    @Test("usage and cost are taken where a payload carries them")
    func usage() throws {
        let facts = try facts(
            "Stop",
            #","usage":{"input_tokens":1,"output_tokens":2,"cache_read_input_tokens":3,"#
                + #""cache_creation_input_tokens":4},"total_cost_usd":0.25"#
        )
        #expect(facts.usage == TokenUsage(input: 1, output: 2, cacheRead: 3, cacheCreation: 4))
        #expect(facts.costUSD == 0.25)
        #expect(try self.facts("Stop", #","usage":{"input_tokens":-5},"total_cost_usd":-1"#).usage == nil)
        #expect(try self.facts("Stop", #","usage":[],"total_cost_usd":"free""#).costUSD == nil)
        #expect(try self.facts("PostToolUse", #","tool_response":{"usage":{"input_tokens":9}}"#).usage == nil)
    }
}

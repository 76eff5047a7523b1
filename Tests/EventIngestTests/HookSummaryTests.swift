import EventModel
import Testing

@testable import EventIngest

@Suite("HookSummary")
struct HookSummaryTests {
    @Test("there is a fixture for each event of Claude Code")
    func completeness() {
        #expect(Set(HookFixture.all.map(\.event)) == Set(HookEventName.Known.allCases.map(\.rawValue)))
    }

    @Test("each event has its line", arguments: HookFixture.all)
    func line(fixture: HookFixture) throws {
        let event = try IngestDecoder.with().hook(fixture.bytes)
        #expect(event.summary == fixture.summary)
        #expect(event.hookEventName?.text == fixture.event)
        #expect(event.hookEventName?.known != nil)
    }

    @Test("without its own members an event still has a line", arguments: HookEventName.Known.allCases)
    func bare(name: HookEventName.Known) throws {
        let event = try IngestDecoder.with().hook(#"{"hook_event_name":"\#(name.rawValue)"}"#)
        #expect(event.summary == name.rawValue)
    }

    @Test("without content the line is a name", arguments: HookFixture.all)
    func noContent(fixture: HookFixture) throws {
        let event = try IngestDecoder.with(policy: .none).hook(fixture.bytes)
        #expect(event.summary == event.toolName ?? fixture.event)
    }

    @Test(
        "tools are told by what they act on",
        arguments: [
            (#""tool_name":"Read","tool_input":{"file_path":"/etc/hosts"}"#, "/etc/hosts"),
            (#""tool_name":"Bash","tool_input":{"command":"a\n\n  b\tc"}"#, "a b c"),
            (#""tool_name":"Agent","tool_input":{"prompt":"long","description":"Find it"}"#, "Find it"),
            (#""tool_name":"AskUserQuestion","tool_input":{"questions":[{"question":"Tea?"}]}"#, "Tea?"),
            (#""tool_name":"Grep","tool_input":{"path":"/x","pattern":"a.*b"}"#, "a.*b"),
            (#""tool_name":"ExitPlanMode","tool_input":{"plan":"First this"}"#, "ExitPlanMode: First this"),
            (#""tool_name":"mcp__calendar__add","tool_input":{"day":1,"who":"all"}"#, "mcp__calendar__add: all"),
            (#""tool_name":"mcp__calendar__list","tool_input":{}"#, "mcp__calendar__list"),
            (#""tool_name":"Bash","tool_input":{"command":""}"#, "Bash"),
            (#""tool_name":"Odd","tool_input":"text""#, "Odd: text"),
            (#""tool_name":7"#, "PreToolUse"),
        ]
    )
    func tools(fields: String, expected: String) throws {
        let event = try IngestDecoder.with().hook(#"{"hook_event_name":"PreToolUse","# + fields + "}")
        #expect(event.summary == expected)
    }

    @Test("an unknown event shows its message or its name")
    func unknown() throws {
        let decoder = IngestDecoder.with()
        #expect(try decoder.hook(#"{"hook_event_name":"Brand New","message":"hi"}"#).summary == "hi")
        #expect(try decoder.hook(#"{"hook_event_name":"BrandNew","x":1}"#).summary == "BrandNew")
        #expect(try decoder.hook(#"{"hook_event_name":"Brand\nNew","x":1}"#).summary == "Brand")
        #expect(try decoder.hook(#"{"hook_event_name":"\u0001"}"#).summary == "event")
    }

    @Test("secrets are masked in the line")
    func secrets() throws {
        let event = try IngestDecoder.with(policy: .full).hook(
            #"{"hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{"command":"login --password hunter2"}}"#
        )
        #expect(event.summary == "login --password ***")
    }
}

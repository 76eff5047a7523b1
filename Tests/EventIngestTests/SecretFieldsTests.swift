import EventModel
import JSON
import Testing

@testable import EventIngest
@testable import Masking

/// That nothing of an event is stored unmasked, wherever in the request it came.
@Suite("Secrets in the fields of an event")
struct SecretFieldsTests {
    /// A secret of its own for each place, so that a failure says which.
    private struct Planted {
        var number = 0

        mutating func next() -> String {
            number += 1
            return "ghp_" + String(repeating: "a7", count: 14) + "P" + String(1000 + number)
        }
    }

    private func text(of event: MonitorEvent) -> String {
        var parts = [
            event.summary, event.payloadText, event.type.rawValue, event.hookEventName?.text ?? "",
            event.sessionID ?? "", event.projectPath ?? "", event.toolName ?? "", event.reportedMachineName ?? "",
        ]
        let facts = event.facts
        parts += [
            facts.toolUseID, facts.agentID, facts.agentType, facts.permissionMode, facts.model, facts.title,
            facts.detail,
        ].map { $0 ?? "" }
        return parts.joined(separator: "\n")
    }

    private func expectNone(of count: Int, in event: MonitorEvent) {
        let stored = text(of: event)
        for number in 1...count { #expect(!stored.contains("P\(1000 + number)"), "\(number): \(stored)") }
    }

    @Test(
        "no field and no member of an event holds one",
        arguments: ContentPolicy.allCases,
        ["SessionStart", "PreToolUse", "Notification", "StopFailure", "SomethingNew", "CwdChanged"]
    )
    func fields(policy: ContentPolicy, event: String) throws {
        var planted = Planted()
        let names = [
            "session_id", "transcript_path", "cwd", "prompt_id", "tool_name", "tool_use_id", "agent_id", "agent_type",
            "permission_mode", "model", "source", "reason", "notification_type", "error", "error_details",
            "session_title", "title", "message", "prompt", "new_cwd", "branch", "task_id", "summary",
        ]
        let members = names.map { #""\#($0)":"/x/\#(planted.next())/y""# }.joined(separator: ",")
        let nested = #""unknown":{"a":["\#(planted.next())",{"\#(planted.next())":"\#(planted.next())"}]}"#
        let input = #""tool_input":{"command":"run \#(planted.next())"}"#
        let name = event == "SomethingNew" ? event + "-" + planted.next() : event
        let hook = #"{"hook_event_name":"\#(name)",\#(members),\#(nested),\#(input)}"#
        let body =
            #"{"event_id":"\#(planted.next())","event_type":"\#(planted.next())","machine_id":"\#(planted.next())","#
            + #""project_dir":"/p/\#(planted.next())","more":{"x":"\#(planted.next())"},"data":\#(hook)}"#
        let stored = try #require(try IngestDecoder.with(policy: policy).events(body).first?.event)
        expectNone(of: planted.number, in: stored)
        expectNone(of: planted.number, in: try IngestDecoder.with(policy: policy).hook(hook))
    }

    @Test("structure tells secrets that have no form of their own", arguments: ContentPolicy.allCases)
    func structure(policy: ContentPolicy) throws {
        let json = #"""
            {"hook_event_name":"PreToolUse","session_id":"s","tool_name":"mcp__shop__login","tool_input":{
            "password":"hunter-P1001","env":[{"name":"DB_PASS","value":"hunter-P1002"},
            {"value":"hunter-P1003","key":"API_TOKEN"}],"args":["--token","hunter-P1004","-u","me:hunter-P1005"],
            "headers":{"Cookie":"a=hunter-P1006","X-Api-Key":"hunter-P1007"},"SERVICE_KEY":"hunter-P10081234"},
            "extra":{"token":{"a":"hunter-P1009"},"argv":["run","--password","hunter-P1010","--verbose"]}}
            """#
        let event = try IngestDecoder.with(policy: policy).hook(json)
        expectNone(of: 10, in: event)
        let value = try event.payloadValue()
        #expect(value["extra"]?["argv"]?.array?.last?.string == "--verbose")
        if policy != .none {
            #expect(value["tool_input"]?["args"]?.array?.last?.string == "me:***")
            #expect(value["tool_input"]?["env"]?.array?.first?["name"]?.string == "DB_PASS")
        }
    }

    @Test("a value of a pair stays where its name names no secret")
    func otherPairs() throws {
        let json = #"""
            {"hook_event_name":"Stop","session_id":"s","a":[{"name":"colour","value":"blue"},{"key":"k","value":1}],
            "b":["--output","file","-u","1000:1000"],"usage":{"input_tokens":5},"max_tokens":7}
            """#
        let event = try IngestDecoder.with().hook(json)
        #expect(event.payloadText == json.replacing("\n", with: "").replacing("}],            \"", with: "}],\""))
    }

    @Test("the name of no identifier names a secret, as identifiers are not asked", arguments: ContentPolicy.allCases)
    func identifiers(policy: ContentPolicy) throws {
        for name in PayloadMember.identifiers {
            #expect(SecretName.strength(of: Array(name.description.utf8).span) == nil, "\(name)")
        }
        let hook = #"{"hook_event_name":"Stop","more":["run","--token"],"session_id":"s1","reason":"done"}"#
        let stored = try IngestDecoder.with(policy: policy).hook(hook).payloadText
        #expect(stored == hook, "an option at the end of an array says nothing about the next member")
    }

    @Test("a member whose name holds one is renamed")
    func names() throws {
        var planted = Planted()
        let json = #"{"hook_event_name":"Stop","\#(planted.next())":1,"\#(planted.next())_token":{"a":"b"}}"#
        let event = try IngestDecoder.with().hook(json)
        expectNone(of: 2, in: event)
    }

    @Test("the same id is masked to the same text in the event and in its payload")
    func identity() throws {
        var planted = Planted()
        let event = try IngestDecoder.with().hook(#"{"hook_event_name":"Stop","session_id":"s-\#(planted.next())"}"#)
        #expect(event.sessionID == "s-ghp_***")
        #expect(try event.payloadValue()["session_id"]?.string == event.sessionID)
    }

    @Test("a summary that was cut ends before a half secret")
    func cutSummary() throws {
        let first = "eyJ" + String(repeating: "a1", count: 200) + ".eyJ" + String(repeating: "b2", count: 330)
        let second = "ghp_" + String(repeating: "P9", count: 40)
        let json = #"{"hook_event_name":"Stop","last_assistant_message":"\#(first) \#(second)"}"#
        #expect(!(try IngestDecoder.with().hook(json).summary.contains("P9")))
    }
}

import JSON
import Testing

@testable import EventIngest
@testable import Masking

@Suite("PayloadWriter")
struct PayloadWriterTests {
    private func payload(_ fields: String, policy: ContentPolicy = .summary) throws -> JSONValue {
        let json =
            #"{"hook_event_name":"PostToolUse","session_id":"s1","tool_use_id":"t1","tool_name":"Bash",\#(fields)}"#
        let event = try IngestDecoder.with(policy: policy).hook(json)
        if policy != .full { #expect(event.payload.count <= PayloadWriter.maxPayloadBytes) }
        let value = try event.payloadValue()
        #expect(value["hook_event_name"]?.string == "PostToolUse")
        #expect(value["session_id"]?.string == "s1")
        #expect(value["tool_use_id"]?.string == "t1")
        #expect(value["tool_name"]?.string == "Bash")
        return value
    }

    private func text(_ unit: String, _ count: Int) -> String { String(repeating: unit, count: count) }

    @Test("full cuts nothing, and masks secrets all the same")
    func full() throws {
        let long = text("x", 100_000)
        let blob = text("iVBORw0KGgo9", 2000)
        let value = try payload(
            #""tool_input":{"password":"p","long":"\#(long)","note":"token=abc","blob":"\#(blob)"},"n":12.5"#,
            policy: .full
        )
        #expect(value["tool_input"]?["password"]?.string == "***")
        #expect(value["tool_input"]?["note"]?.string == "token=***")
        #expect(value["tool_input"]?["long"]?.string == long)
        #expect(value["tool_input"]?["blob"]?.string == blob)
        #expect(value["n"] == .number(12.5))
    }

    @Test("a small hook is stored as it came", arguments: HookFixture.all)
    func unchanged(fixture: HookFixture) throws {
        #expect(try IngestDecoder.with().hook(fixture.bytes).payloadText == fixture.json)
    }

    @Test("long strings are cut and say so")
    func cut() throws {
        let value = try payload(#""a":{"b":["\#(text("ä", 2500))","\#(text("z", 2000))"]}"#)
        #expect(value["a"]?["b"]?.array?.first?.string == text("ä", 2000) + "… [+500 chars]")
        #expect(value["a"]?["b"]?.array?.last?.string == text("z", 2000))
    }

    @Test("base64 is left out")
    func blobs() throws {
        let blob = text("iVBORw0KGgo9", 2000)
        let value = try payload(#""a":"\#(blob)","b":"data:image/png;base64,\#(blob)","c":"\#(text("word ", 300))""#)
        #expect(value["a"]?.string == "[24000 bytes omitted]")
        #expect(value["b"]?.string == "data:image/png;base64,[24000 bytes omitted]")
        #expect(value["c"]?.string == text("word ", 300))
    }

    @Test("secrets are masked by member, in text, in names and across a cut")
    func secrets() throws {
        let key = "sk-" + "ant-" + text("aB3d", 10)
        let across = text("x", 1980) + " " + key + text(" y", 500)
        let value = try payload(
            #""tool_input":{"command":"use \#(key)","api_key":"abc","token":7,"secret":{"a":1},"password":null,"#
                + #""max_tokens":5,"\#(key)":1},"across":"\#(across)""#
        )
        #expect(value["tool_input"]?["command"]?.string == "use sk-ant-***")
        #expect(value["tool_input"]?["api_key"]?.string == "***")
        #expect(value["tool_input"]?["token"]?.string == "***")
        #expect(value["tool_input"]?["secret"]?.string == "***")
        #expect(value["tool_input"]?["password"] == .null)
        #expect(value["tool_input"]?["max_tokens"]?.integer == 5)
        #expect(value["tool_input"]?["sk-ant-***"]?.integer == 1)
        #expect(value["across"]?.string?.contains("aB3d") == false)
        #expect(value["across"]?.string?.contains("sk-ant-***") == true)
    }

    @Test("many strings are cut shorter and shorter", arguments: [(30, 500), (200, 100)])
    func shorter(count: Int, limit: Int) throws {
        let strings = (0..<count).map { _ in "\"\(text("w ", 1500))\"" }.joined(separator: ",")
        let value = try payload(#""tool_response":[\#(strings)]"#)
        #expect(value["tool_response"]?.array?.count == count)
        #expect(value["tool_response"]?.array?.first?.string?.hasPrefix(text("w ", limit / 2) + "… [+") == true)
    }

    @Test("what is still too large is left out by name")
    func outline() throws {
        let numbers = (0..<50_000).map(String.init).joined(separator: ",")
        let value = try payload(#""tool_response":[\#(numbers)],"small":{"a":[1,2]},"password":"p""#)
        #expect(value["tool_response"]?.string == "[omitted]")
        #expect(value["small"]?["a"] == .array([.integer(1), .integer(2)]))
        #expect(value["password"]?.string == "***")
    }

    @Test("more members than there is room for are counted")
    func manyMembers() throws {
        let members = (0..<20_000).map { #""member\#($0)":\#($0)"# }.joined(separator: ",")
        let value = try payload(members)
        #expect(value["member0"]?.integer == 0)
        let omitted = try #require(value["omitted_members"]?.integer)
        #expect(omitted > 15_000 && omitted < 20_000)
    }

    @Test("long names, repeated identifiers and escapes do not break the bound")
    func hostile() throws {
        let controls = text("\\u0001", 190)
        let repeated = (0..<3000).map { _ in #""cwd":"\#(controls)""# }.joined(separator: ",")
        _ = try payload(repeated)
        let names = (0..<200).map { #""\#(text("n", 5000))\#($0)":"\#(controls)""# }.joined(separator: ",")
        _ = try payload(names)
        let identifiers = [
            "prompt_id", "agent_id", "agent_type", "transcript_path", "cwd", "source", "reason", "trigger",
        ]
        _ = try payload(identifiers.map { #""\#($0)":"\#(text("\\u0001", 5000))""# }.joined(separator: ","))
    }

    @Test("without content the structure stays")
    func none() throws {
        let value = try payload(
            #""tool_input":{"command":"x"},"tool_response":"y","prompt":"p","message":"m","delta":"d","duration_ms":5,"#
                + #""unknown":"\#(text("u", 300))","cwd":"/p","effort":{"level":"high"}"#,
            policy: .none
        )
        for name in ["tool_input", "tool_response", "prompt", "message", "delta"] { #expect(value[name] == nil) }
        #expect(value["duration_ms"]?.integer == 5)
        #expect(value["cwd"]?.string == "/p")
        #expect(value["effort"]?["level"]?.string == "high")
        #expect(value["unknown"]?.string == "[300 bytes omitted]")
    }
}

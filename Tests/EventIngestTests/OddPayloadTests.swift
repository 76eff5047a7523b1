import EventModel
import JSON
import Masking
import Testing

@testable import EventIngest

@Suite("Odd payloads")
struct OddPayloadTests {
    private func event(_ fields: String, policy: ContentPolicy = .full) throws -> MonitorEvent {
        try IngestDecoder.with(policy: policy).hook(#"{"session_id":"s1","hook_event_name":"PostToolUse",\#(fields)}"#)
    }

    @Test("NUL inside tool output")
    func nul() throws {
        let event = try event(#""tool_response":{"stdout":"a\u0000b \\u0000"}"#)
        #expect(try event.payloadValue()["tool_response"]?["stdout"]?.string == "a\u{FFFD}b \\u0000")
        #expect(!event.payload.contains(0))
        #expect(!event.payloadText.contains(#"a\u0000"#))
    }

    @Test("an unpaired surrogate and a NUL in a Stop message")
    func surrogate() throws {
        let event = try IngestDecoder.with().hook(
            #"{"hook_event_name":"Stop","last_assistant_message":"ok \ud83d\u0000 \ude00\ud83d\ude00 end"}"#
        )
        #expect(event.summary == "ok \u{FFFD}\u{FFFD} \u{FFFD}😀 end")
    }

    @Test("invalid UTF-8")
    func invalidUTF8() throws {
        let body =
            Array(#"{"hook_event_name":"Stop","last_assistant_message":"a"#.utf8) + [0xFF, 0xC3] + Array(#"b"}"#.utf8)
        #expect(try IngestDecoder.with().hook(body).summary == "a\u{FFFD}\u{FFFD}b")
    }

    @Test("a body of 240 kB")
    func large() throws {
        let line = #"log line with \"quotes\" and \u001b[31mcolour\u001b[0m\n"#
        let fields = #""tool_name":"Bash","tool_response":{"stdout":"\#(String(repeating: line, count: 4500))"}"#
        #expect(try event(fields).payload.count > 240_000)
        #expect(try event(fields, policy: .summary).payload.count < 4000)
    }

    @Test("an image")
    func image() throws {
        let data = String(repeating: "iVBORw0KGgoAAAANSUhEUgAA", count: 2000)
        let event = try event(
            #""tool_name":"Read","tool_response":{"type":"image","file":{"base64":"\#(data)","type":"image/png"}}"#,
            policy: .summary
        )
        let file = try event.payloadValue()["tool_response"]?["file"]
        #expect(file?["base64"]?.string == "[48000 bytes omitted]")
        #expect(file?["type"]?.string == "image/png")
    }

    @Test(
        "responses and errors of any kind",
        arguments: [
            #""tool_response":[{"type":"text","text":"ok"}]"#, #""tool_response":"{\"a\":1}""#,
            #""tool_response":null"#,
            #""error":"MCP error -32602: Invalid arguments""#, #""error":{"code":-32602}"#, #""tool_input":"text""#,
            #""tool_input":[]"#, #""tool_name":null"#, #""custom_instructions":null"#, #""agent_type":"""#,
            #""effort":"high""#, #""permission_mode":{}"#, #""cwd":7"#, #""session_title":[]"#, #""usage":7"#,
            #""duration_ms":1e400"#, #""duration_ms":123456789012345678901234567890"#, #""":"""#,
        ]
    )
    func kinds(fields: String) throws {
        for policy in ContentPolicy.allCases {
            #expect(try event(fields, policy: policy).payloadValue().isObject)
        }
    }

    @Test("Windows and non-Latin paths")
    func paths() throws {
        let windows = try event(
            #""tool_name":"Edit","tool_input":{"file_path":"C:\\Users\\x\\a.swift"},"cwd":"C:\\Users\\x""#
        )
        #expect(windows.projectPath == "C:\\Users\\x")
        #expect(windows.summary == "C:\\Users\\x\\a.swift")
        let unicode = try event(#""cwd":"/home/u/プロジェクト/größe""#)
        #expect(unicode.projectPath == "/home/u/プロジェクト/größe")
        #expect(try event(#""cwd":"""#).projectPath == nil)
        #expect(try event(#""cwd":"\#(String(repeating: "x", count: 5000))""#).projectPath == nil)
    }

    @Test("unknown events and members are kept as they came")
    func unknown() throws {
        let json = #"{"hook_event_name":"QuantumLeap","session_id":"s1","nested":{"a":[1,{"b":2}]},"n":-0.5}"#
        let event = try IngestDecoder.with().hook(json)
        #expect(event.hookEventName == .unknown("QuantumLeap"))
        #expect(event.type.rawValue == "quantum_leap")
        #expect(event.payloadText == json)
    }

    @Test("of repeated members the last counts, as in JavaScript")
    func repeated() throws {
        let event = try IngestDecoder.with().hook(
            #"{"hook_event_name":"Stop","session_id":"first","session_id":"second","hook_event_name":"Setup"}"#
        )
        #expect(event.sessionID == "second")
        #expect(event.hookEventName == .known(.setup))
    }

    @Test("a body nested without end is refused")
    func depthBomb() {
        let bomb = String(repeating: #"{"a":["#, count: 100_000)
        for body in [bomb, #"{"hook_event_name":"Stop","a":"# + bomb + String(repeating: "]}", count: 100_000) + "}"] {
            let error = #expect(throws: (any Error).self) { try IngestDecoder.with().hook(body) }
            #expect("\(error.debugDescription)".contains("invalid_json"))
        }
    }
}

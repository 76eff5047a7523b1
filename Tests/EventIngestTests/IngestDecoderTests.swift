import Compression
import EventModel
import HTTPModel
import Testing

@testable import EventIngest

@Suite("IngestDecoder")
struct IngestDecoderTests {
    private let id = "0190b7c4-1111-7222-8333-444455556666"
    private let hook = #"{"hook_event_name":"Stop","session_id":"s1","cwd":"/p"}"#

    @Test("an envelope says what the hook does not")
    func envelope() throws {
        let items = try IngestDecoder.with().events(
            #"{"event_id":"\#(id)","event_type":"stop","machine_id":"mac-studio","#
                + #""timestamp":"2026-01-05T10:00:00.123Z","project_dir":"/root/of/project","data":\#(hook)}"#
        )
        let event = try #require(items.first?.event)
        #expect(items.count == 1)
        #expect(event.id == EventID(id))
        #expect(event.type.rawValue == "stop")
        #expect(event.hookEventName == .known(.stop))
        #expect(event.machineName == "key-name")
        #expect(event.reportedMachineName == "mac-studio")
        #expect(event.machine == MachineID(rawValue: 7))
        #expect(event.timestamp == Timestamp(rfc3339: "2026-01-05T10:00:00.123Z"))
        #expect(event.receivedAt == receiptTime)
        #expect(event.projectPath == "/root/of/project")
        #expect(event.sessionID == "s1")
        #expect(event.payloadText == hook)
    }

    @Test("an id that the server could have made of a name is a name of this machine's event")
    func namedID() throws {
        let own = EventID(name: "prm_1:phase:2", machine: MachineID(rawValue: 3))
        let body = #"{"event_id":"\#(own)","data":\#(hook)}"#
        let event = try #require(try IngestDecoder.with().events(body).first?.event)
        #expect(event.id == EventID(sentName: own.description, machine: MachineID(rawValue: 7)) && event.id != own)
    }

    @Test("a name that the server gives its own events of this machine is another event's")
    func serverName() throws {
        let own = EventID(name: "prm_1:answered", machine: MachineID(rawValue: 7))
        let body = #"{"event_id":"prm_1:answered","data":\#(hook)}"#
        let event = try #require(try IngestDecoder.with().events(body).first?.event)
        #expect(event.id != own)
    }

    @Test("what the envelope leaves out is filled in")
    func defaults() throws {
        let event = try #require(try IngestDecoder.with().events(#"{"data":\#(hook)}"#).first?.event)
        #expect(event.id.high >> 12 & 15 == 7)
        #expect(event.type.rawValue == "stop")
        #expect(event.timestamp == receiptTime)
        #expect(event.machineName == "key-name")
        #expect(event.projectPath == "/p")
    }

    @Test("events without a time happened in the order in which they were sent", arguments: [true, false])
    func order(asLines: Bool) throws {
        let body = asLines ? "{\"data\":\(hook)}\n{\"data\":\(hook)}" : "[{\"data\":\(hook)},{\"data\":\(hook)}]"
        let type = asLines ? "application/x-ndjson" : "application/json"
        let times = try IngestDecoder.with().events(body, type: type).compactMap(\.event?.timestamp)
        #expect(times == [receiptTime, Timestamp(microseconds: receiptTime.microseconds + 1)])
    }

    @Test(
        "the hook's name follows from the type where it is not sent",
        arguments: [
            ("start", "session_start", "SessionStart"), ("end", "session_end", "SessionEnd"),
            ("tool", "tool", "PostToolUse"), ("PreToolUse", "tool_start", "PreToolUse"),
            ("prompt", "prompt", "UserPromptSubmit"), ("stop_failure", "stop_failure", "StopFailure"),
            ("Deploy Done", "deploy_done", nil as String?),
        ]
    )
    func types(sent: String, type: String, name: String?) throws {
        let items = try IngestDecoder.with().events(#"{"event_type":"\#(sent)","data":{}}"#)
        let event = try #require(items.first?.event)
        #expect(event.type.rawValue == type)
        #expect(event.hookEventName?.text == name)
        #expect(event.sessionID == nil)
    }

    @Test(
        "a malformed item is rejected alone",
        arguments: [
            (#"{"event_id":"","data":{"hook_event_name":"Stop"}}"#, "invalid_event_id"),
            (#"{"event_id":7,"data":{"hook_event_name":"Stop"}}"#, "invalid_event_id"),
            (#"{"timestamp":"yesterday","data":{"hook_event_name":"Stop"}}"#, "invalid_timestamp"),
            (#"{"timestamp":1767607200,"data":{"hook_event_name":"Stop"}}"#, "invalid_timestamp"),
            (#"{"event_type":"stop"}"#, "missing_data"), (#"{"event_type":"stop","data":[]}"#, "missing_data"),
            (#"{"event_type":"stop","data":null}"#, "missing_data"), (#"{"data":{}}"#, "missing_event_type"),
            (#"{"data":{"hook_event_name":7}}"#, "missing_event_type"),
            (#"{"event_type":{},"data":{}}"#, "invalid_event_type"),
            (#"{"data":{"hook_event_name":"Stop","session_id":5}}"#, "invalid_session_id"),
            (
                #"{"data":{"hook_event_name":"Stop","session_id":""# + String(repeating: "x", count: 201) + #""}}"#,
                "invalid_session_id"
            ),
            ("[]", "invalid_event"), ("null", "invalid_event"), ("\"x\"", "invalid_event"),
        ]
    )
    func rejected(item: String, code: String) throws {
        let good = #"{"data":\#(hook)}"#
        let items = try IngestDecoder.with().events("[\(good),\(item),\(good)]")
        #expect(items.map(\.errorCode) == [nil, code, nil])
        let lines = try IngestDecoder.with().events("\(good)\n\(item)\n\(good)", type: "application/x-ndjson")
        #expect(lines.map(\.errorCode) == [nil, code, nil])
    }

    @Test("a rejected item is answered under the name it was sent with")
    func rejectedName() throws {
        let items = try IngestDecoder.with().events(#"[{"event_id":"no\u0000uuid","data":{}},{"event_id":"\#(id)"}]"#)
        guard case .rejected(let first, _) = items[0], case .rejected(let second, _) = items[1] else {
            Issue.record("both items are malformed")
            return
        }
        #expect(first == "no\u{FFFD}uuid")
        #expect(second == id)
    }

    @Test("in NDJSON a broken line is one rejected item and a blank line is none")
    func lines() throws {
        let good = #"{"data":\#(hook)}"#
        let items = try IngestDecoder.with().events(
            "\n\(good)\r\n  \n{broken\n\(good)\n\n",
            type: "Application/X-NDJSON; charset=utf-8"
        )
        #expect(items.map(\.errorCode) == [nil, "invalid_json", nil])
    }

    @Test(
        "a fault of the whole request is thrown",
        arguments: [
            ("", "application/json", nil as String?, 400, "invalid_json"), ("[", nil, nil, 400, "invalid_json"),
            ("7", nil, nil, 400, "invalid_json"), ("[]", nil, nil, 400, "empty_batch"),
            ("\n \n", "application/x-ndjson", nil, 400, "empty_batch"),
            ("", "application/x-ndjson", nil, 400, "empty_batch"),
            ("{}", "image/png", nil, 415, "unsupported_content_type"),
            ("{}", nil, "br", 415, "unsupported_encoding"), ("{}", nil, "gzip", 400, "invalid_gzip"),
            ("[{},{},{},{}]", nil, nil, 413, "too_many_events"),
            ("{}\n{}\n{}\n{}", "application/x-ndjson", nil, 413, "too_many_events"),
            ("{\"data\":\"" + String(repeating: "x", count: 1000) + "\"}", nil, nil, 413, "body_too_large"),
        ]
    )
    func faults(body: String, type: String?, encoding: String?, status: Int, code: String) {
        let decoder = IngestDecoder.with(maxEvents: 3, maxBytes: 500)
        let error = #expect(throws: APIError.self) {
            try decoder.events(Array(body.utf8), type: type, encoding: encoding)
        }
        #expect(error?.status == status)
        #expect(error?.code == code)
    }

    @Test("a compressed body is the same body")
    func compressed() throws {
        let body = Array(#"[{"data":\#(hook)},{"data":\#(hook)}]"#.utf8)
        let compressed = try #require(Deflater(.gzip, level: 6)).deflate(body, isLast: true)
        let items = try IngestDecoder.with().events(compressed, encoding: "gzip")
        #expect(items.compactMap(\.event).map(\.payloadText) == [hook, hook])
        let error = #expect(throws: APIError.self) {
            try IngestDecoder.with(maxBytes: 60).events(compressed, encoding: "GZIP")
        }
        #expect(error?.code == "body_too_large")
    }

    @Test("unknown members of the envelope are stored with the hook's object")
    func extra() throws {
        let items = try IngestDecoder.with().events(#"{"dropped":3,"data":\#(hook),"host":{"os":"linux"}}"#)
        let payload = try #require(items.first?.event).payloadValue()
        #expect(payload["_envelope"]?["dropped"]?.integer == 3)
        #expect(payload["_envelope"]?["host"]?["os"]?.string == "linux")
        #expect(payload["_envelope"]?["data"] == nil)
    }

    @Test("the hook's own body is one object with a name")
    func plainHook() throws {
        let decoder = IngestDecoder.with()
        #expect(try decoder.hook(hook).type.rawValue == "stop")
        #expect(throws: APIError.self) { try decoder.hook("[]") }
        #expect(#expect(throws: APIError.self) { try decoder.hook("{}") }?.code == "missing_event_type")
        #expect(#expect(throws: APIError.self) { try decoder.hook("{") }?.code == "invalid_json")
    }

    @Test("a name of the machine that cannot be shown is passed over")
    func machineNames() throws {
        let long = String(repeating: "m", count: 201)
        for sent in ["\"\(long)\"", "7", "\"\"", "null"] {
            let items = try IngestDecoder.with().events(#"{"machine_id":\#(sent),"data":\#(hook)}"#)
            #expect(items.first?.event?.machineName == "key-name")
        }
    }

    @Test("an id that is no UUID is kept as a name: the same event again, another on another machine")
    func namedIDs() throws {
        let json = #"{"event_id":"evt-1","data":{"hook_event_name":"Stop"}}"#
        func item(_ machine: Int64) throws -> DecodedItem? {
            try IngestDecoder(configuration: IngestConfiguration()).decodeEvents(
                body: Array(json.utf8),
                contentType: nil,
                contentEncoding: nil,
                machine: MachineID(rawValue: machine),
                machineName: "m",
                now: Timestamp(microseconds: 0)
            ).first
        }
        let first = try #require(try item(1))
        #expect(try item(1)?.event?.id == first.event?.id)
        #expect(try item(2)?.event?.id != first.event?.id)
        guard case .event(_, let sentID) = first else { return }
        #expect(sentID == "evt-1")
    }
}

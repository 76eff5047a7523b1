import EventIngest
import EventModel
import HTTPModel
import JSON
import Masking
import Testing

@testable import Telemetry

private let now = Timestamp(microseconds: 1_795_232_572_000_000)

/// One log record with an attribute of each kind, and one of another session.
private let sample = """
    {"resourceLogs":[{"resource":{"attributes":[{"key":"service.version","value":{"stringValue":"2.1.329"}}]},
    "scopeLogs":[{"logRecords":[
    {"timeUnixNano":"1795232571834000000","body":{"stringValue":"claude_code.api_request"},"attributes":[
    {"key":"session.id","value":{"stringValue":"s"}},{"key":"event.name","value":{"stringValue":"api_request"}},
    {"key":"event.sequence","value":{"intValue":33}},{"key":"input_tokens","value":{"intValue":"12"}},
    {"key":"output_tokens","value":{"stringValue":"42"}},{"key":"cache_creation_tokens","value":{"intValue":345}},
    {"key":"cache_creation_1h_tokens","value":{"intValue":45}},{"key":"cost_usd","value":{"doubleValue":0.0014421}},
    {"key":"model","value":{"stringValue":"claude-sonnet-5"}},{"key":"request_id","value":{"stringValue":"req_1"}},
    {"key":"query_source","value":{"stringValue":"compact"}},{"key":"flag","value":{"boolValue":true}},
    {"key":"list","value":{"arrayValue":{"values":[]}}}]},
    {"timeUnixNano":0,"body":{"stringValue":"claude_code.tool_decision"},"attributes":[
    {"key":"session.id","value":{"stringValue":"t"}},{"key":"tool_use_id","value":{"stringValue":"toolu_1"}}]}]}]}]}
    """

private func decode(
    _ body: [UInt8],
    _ signal: OTLPSignal = .logs,
    type: String = "application/json",
    policy: ContentPolicy = .summary
) throws -> TelemetryBatch {
    let request = HTTPRequest(method: .post, path: "/v1/logs", headers: ["content-type": type], body: body)
    return try OTLPDecoder(configuration: IngestConfiguration(contentPolicy: policy))
        .decode(request, signal, machine: MachineID(rawValue: 1), machineName: "m", now: now)
}

@Suite("OTLP")
struct OTLPDecoderTests {
    @Test("a request's figures and ids are read")
    func request() throws {
        let batch = try decode(Array(sample.utf8))
        #expect(batch.events.map(\.sessionID) == ["s", "t"])
        let request = try #require(batch.events[0].facts.report?.requests.first)
        #expect(request.tokens == RequestTokens(input: 12, output: 42, cacheWrite5m: 300, cacheWrite1h: 45))
        #expect(request.costUSD == 0.0014421 && request.requestID == "req_1" && request.model == "claude-sonnet-5")
        #expect(request.at == Timestamp(microseconds: 1_795_232_571_834_000))
        // An errand of the client does not name the session's model.
        #expect(batch.events[0].facts.model == nil)
        #expect(batch.events[1].timestamp == now)
        #expect(batch.events[1].facts.toolUseID == "toolu_1")
    }

    @Test("the payload has all attributes but those of people")
    func payload() throws {
        let event = try decode(Array(sample.utf8)).events[0]
        let payload = try JSONValue.parse(event.payload)
        #expect(payload["flag"] == .bool(true) && payload["list"] == .null && payload["event.sequence"] == .integer(33))
        #expect(payload["version"]?.string == "2.1.329")
    }

    @Test(
        "members of the wrong type count as missing",
        arguments: [
            "{}", "[]", "null", #"{"resourceLogs":{}}"#,
            #"{"resourceLogs":[1,{"scopeLogs":[{"logRecords":[null,{}]}]}]}"#,
            #"{"resourceLogs":[{"scopeLogs":[{"logRecords":[{"attributes":[{"key":1},{"key":"event.name"}]}]}]}]}"#,
        ]
    )
    func oddities(_ body: String) throws {
        #expect(try decode(Array(body.utf8)).events.isEmpty)
    }

    private func records(_ records: [(number: Int64, session: String, name: String)]) -> [UInt8] {
        let list = records.map { record in
            #"{"timeUnixNano":"\#(1_795_232_571_000_000_000 + record.number * 1_000_000)","attributes":["#
                + #"{"key":"session.id","value":{"stringValue":"\#(record.session)"}},"#
                + #"{"key":"event.name","value":{"stringValue":"\#(record.name)"}},"#
                + #"{"key":"event.sequence","value":{"intValue":\#(record.number)}}]}"#
        }
        return Array(#"{"resourceLogs":[{"scopeLogs":[{"logRecords":[\#(list.joined(separator: ","))]}]}]}"#.utf8)
    }

    private func ranges(_ batch: TelemetryBatch) -> [String] {
        batch.events.map { event in
            let numbers = event.facts.report?.numbers
            let range = numbers.map { "\($0.first)-\($0.last)\($0.isStart ? " start" : "")" }
            return "\(event.sessionID ?? "") \(range ?? "")"
        }
    }

    @Test("stored records take over the numbers of those that are not stored")
    func numbers() throws {
        let hook = "hook_execution_start"
        let batch = try decode(
            records([(0, "s", hook), (1, "s", "user_prompt"), (2, "s", hook), (3, "s", "api_request"), (4, "s", hook)])
        )
        #expect(ranges(batch) == ["s 0-1 start", "s 2-4"])
        let gap = try decode(records([(3, "s", "user_prompt"), (4, "s", hook), (7, "s", hook), (8, "s", "auth")]))
        #expect(ranges(gap) == ["s 3-4", "s 7-8"])
    }

    @Test("a batch with nothing to store keeps its numbers in one event")
    func numbersAlone() throws {
        let batch = try decode(records([(5, "s", "hook_registered"), (6, "s", "plugin_loaded")]))
        #expect(ranges(batch) == ["s 5-6"])
        #expect(batch.events[0].facts.detail == "passed_over" && batch.dropped == 2)
    }

    @Test("after /clear the numbers go on in another session")
    func numbersOverClear() throws {
        let batch = try decode(
            records([(44, "a", "user_prompt"), (45, "b", "hook_registered"), (46, "b", "api_request")])
        )
        #expect(ranges(batch) == ["a 44-46", "b 44-46 start"])
    }

    @Test("records beyond the bound are refused and counted")
    func bound() throws {
        let one = #"{"body":{"stringValue":"x"}}"#
        let list = Array(repeating: one, count: OTLPDecoder.maxRecords + 3).joined(separator: ",")
        let batch = try decode(Array(#"{"resourceLogs":[{"scopeLogs":[{"logRecords":[\#(list)]}]}]}"#.utf8))
        #expect(batch.events.count == OTLPDecoder.maxRecords && batch.refused == 3)
        let answer = OTLPAnswer.success(.logs, .json, rejected: 3, reason: "too many")
        #expect(
            String(decoding: answer.body, as: UTF8.self)
                == #"{"partialSuccess":{"rejectedLogRecords":"3","errorMessage":"too many"}}"#
        )
    }

    @Test("log records that cannot be read are refused and counted")
    func unreadable() throws {
        let whole = #"{"timeUnixNano":"17","attributes":[],"body":{"stringValue":"x"}}"#
        let list = #"5, {"attributes":"bad"}, {"timeUnixNano":"zzz"}, \#(whole)"#
        let batch = try decode(Array(#"{"resourceLogs":[{"scopeLogs":[{"logRecords":[\#(list)]}]}]}"#.utf8))
        #expect(batch.events.count == 1 && batch.refused == 3)
    }

    /// An export in protobuf of one record with this name.
    private func protobuf(named name: String) -> [UInt8] {
        var record = ProtobufWriter()
        var attribute = ProtobufWriter()
        attribute.bytes(Array("event.name".utf8), field: 1)
        var value = ProtobufWriter()
        value.bytes(Array(name.utf8), field: 1)
        attribute.bytes(value.bytes, field: 2)
        record.bytes(attribute.bytes, field: 6)
        return ([2, 2, 1] as [UInt64]).reduce(record.bytes) { inner, field in
            var outer = ProtobufWriter()
            outer.bytes(inner, field: field)
            return outer.bytes
        }
    }

    @Test("NUL, which PostgreSQL's texts cannot hold, is read from protobuf as from JSON")
    func zeros() throws {
        let event = try #require(try decode(protobuf(named: "a\0b"), type: "application/x-protobuf").events.first)
        #expect(event.facts.detail == "a\u{FFFD}b")
        #expect(SessionFacts(stored: event.facts.stored() ?? []) == event.facts)
    }

    @Test("protobuf that is cut anywhere is refused or read in part, and never read beyond its end")
    func cuts() throws {
        let message = protobuf(named: "user_prompt")
        let type = "application/x-protobuf"
        #expect(try decode(message, type: type).events.map(\.facts.detail) == ["user_prompt"])
        for length in 1..<message.count {
            #expect(throws: APIError.self) { try decode(Array(message[..<length]), type: type) }
        }
    }

    @Test("a varint of more than 64 bits is refused")
    func varints() throws {
        let long = [UInt8](repeating: 0xFF, count: 9) + [0x02]
        #expect(throws: APIError.self) { try decode([0x08] + long, type: "application/x-protobuf") }
        let longest = [UInt8](repeating: 0xFF, count: 9) + [0x01]
        #expect(try decode([0x10] + longest, type: "application/x-protobuf").events.isEmpty)
    }
}

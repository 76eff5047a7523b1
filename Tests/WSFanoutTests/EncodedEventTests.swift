import EventModel
import FanoutSamples
import JSON
import Synchronization
import Testing

@testable import WSFanout

@Suite("EncodedEvent")
struct EncodedEventTests {
    private func bytes(_ event: EncodedEvent, _ transport: Transport) -> [UInt8] {
        var bytes: [UInt8] = []
        event.append(for: transport, to: &bytes)
        return bytes
    }

    @Test("the notification is one frame with the normalized event as params")
    func notification() throws {
        let event = encoded(41)
        let message = try #require(parse(payloads(ofFrames: bytes(event, .jsonRPC))[0]))
        #expect(message["jsonrpc"] == .string("2.0"))
        #expect(message["method"] == .string("event/tool"))
        #expect(message["id"] == nil)
        let params = try #require(message["params"])
        #expect(params == parse([UInt8](event.json)))
        #expect(params["seq"] == .integer(41))
        #expect(params["epoch"] == .string("e1"))
        #expect(params["event"] == .string("tool"))
        #expect(params["agent_type"] == .string("claude"))
        #expect(params["session_id"] == .string("s1"))
        #expect(params["workspace_id"] == .string("ws-1"))
        #expect(params["payload"] == .object([]))
    }

    @Test("the plain frame holds the event alone")
    func plain() {
        let event = encoded(41)
        #expect(payloads(ofFrames: bytes(event, .plainWebSocket)) == [[UInt8](event.json)])
    }

    @Test("the frames of a dialect are asked for once, with the payload; without a dialect they are the plain one")
    func dialect() {
        let dialect = CountingDialect()
        let event = EncodedEvent(committed(41, payload: Array(#"{"a":1}"#.utf8)), epoch: epoch, dialect: dialect)
        #expect(bytes(event, .dialect) == Array(#"{"a":1}"#.utf8) + bytes(event, .jsonRPC))
        #expect(bytes(event, .dialect).count == event.encodedLength(for: .dialect))
        #expect(dialect.calls.withLock { $0 } == 1)
        let plain = EncodedEvent(committed(41), epoch: epoch)
        #expect(bytes(plain, .dialect) == bytes(plain, .jsonRPC))
    }

    @Test("a payload that is too large for a message is left out and marked", arguments: Transport.allCases)
    func tooLarge(transport: Transport) throws {
        let event = encoded(41, payloadBytes: MessageLimit.payload + 1)
        let text = String(decoding: bytes(event, transport), as: UTF8.self)
        #expect(text.utf8.count < 2048)
        #expect(transport == .dialectAlone || text.contains(#","payload_truncated":true,"payload":{}}"#))
        #expect(bytes(encoded(42, payloadBytes: MessageLimit.payload), .jsonRPC).count > MessageLimit.payload)
    }

    @Test("a dialect gets the payload that the plain frame leaves out")
    func tooLargeInDialect() {
        let payload = Array(#"{"p":"\#(String(repeating: "x", count: MessageLimit.payload))"}"#.utf8)
        let dialect = CountingDialect()
        let event = EncodedEvent(committed(41, payload: payload), epoch: epoch, dialect: dialect)
        #expect(bytes(event, .dialectAlone) == payload)
        #expect(bytes(event, .dialect) == payload + bytes(event, .jsonRPC))
    }

    private final class CountingDialect: EventDialect {
        let calls = Mutex(0)

        func frames(of event: CommittedEvent, epoch: String, plain: [UInt8]?) -> [UInt8] {
            calls.withLock { $0 += 1 }
            return event.event.payload + (plain ?? [])
        }
    }

    @Test("the block of an event stream has the cursor as id and stays on one data line")
    func block() throws {
        let payload = [UInt8]("{\n \"a\":\r\n \"b\\nc\"}".utf8)
        let event = EncodedEvent(committed(41, payload: payload), epoch: epoch)
        let lines = String(decoding: bytes(event, .serverSentEvents), as: UTF8.self).split(
            separator: "\n",
            omittingEmptySubsequences: false
        )
        #expect(lines.count == 5)
        #expect(lines[0] == "id: e1:41")
        #expect(lines[1] == "event: tool")
        #expect(lines[3].isEmpty && lines[4].isEmpty)
        let data = try #require(parse([UInt8](lines[2].dropFirst(6).utf8)))
        #expect(data["payload"]?["a"] == .string("b\nc"))
    }

    @Test("a type that is no word cannot break out of its line or its string")
    func hostileType() throws {
        let event = encoded(1, type: EventType(rawValue: "x\"\ndata: y"))
        #expect(parse(payloads(ofFrames: bytes(event, .jsonRPC))[0])?["method"] == .string("event/x\"\ndata: y"))
        let text = String(decoding: bytes(event, .serverSentEvents), as: UTF8.self)
        #expect(text.split(separator: "\n").map { $0.prefix(6) } == ["id: e1", "event:", "data: "])
    }

    @Test("no transport appends more than it announced", arguments: Transport.allCases, [2, 126, 70_000])
    func announced(transport: Transport, size: Int) {
        let event = encoded(Int64.max, payloadBytes: size)
        #expect(bytes(event, transport).count <= event.encodedLength(for: transport))
    }
}

@Suite("WebSocketFrame")
struct WebSocketFrameTests {
    @Test(
        "the length takes its shortest form",
        arguments: [
            (0, [0x81, 0]), (125, [0x81, 125]), (126, [0x81, 126, 0, 126]), (65535, [0x81, 126, 0xFF, 0xFF]),
            (65536, [0x81, 127, 0, 0, 0, 0, 0, 1, 0, 0]),
        ] as [(Int, [UInt8])]
    )
    func lengths(count: Int, header: [UInt8]) {
        let payload = [UInt8](repeating: UInt8(ascii: "x"), count: count)
        #expect(WebSocketFrame.text(payload) == header + payload)
        #expect(payloads(ofFrames: WebSocketFrame.text(payload)) == [payload])
    }
}

import EventModel
import FanoutSamples
import JSON
import Testing

@testable import WSFanout

@Suite("Hub heartbeats")
struct HubHeartbeatTests {
    let output = RecordingOutput()

    @Test("every WebSocket gets one each 30 s, subscribed or not, encoded once")
    func webSockets() throws {
        let hub = makeHub(output)
        hub.attach(1, transport: .jsonRPC)
        hub.subscribe(2, .plainWebSocket)
        hub.subscribe(3, .dialect)
        hub.tick(now: start.adding(seconds: 29), time: start.adding(seconds: 29), report: report)
        #expect(output.sent.isEmpty)
        hub.tick(now: start.adding(seconds: 30), time: start.adding(seconds: 30), report: report)
        hub.tick(now: start.adding(seconds: 31), time: start.adding(seconds: 31), report: report)
        hub.tick(now: start.adding(seconds: 60), time: start.adding(seconds: 60), report: report)
        #expect(output.sent[1]?.count == 2)
        #expect(output.sent[3]?.count == 2)
        #expect(output.sent[3] == output.sent[2])
        let frame = try #require(output.sent[2]?.first)
        let beat = try #require(parse(payloads(ofFrames: frame)[0]))
        #expect(beat["jsonrpc"] == nil)
        #expect(beat["event"]?.string == "heartbeat")
        #expect(beat["timestamp"]?.string == "2026-01-05T10:00:30.000Z")
        #expect(beat["payload"]?["server_time"]?.string == "2026-01-05T10:00:30.000Z")
        #expect(beat["payload"]?["sequence"]?.integer == 1)
        #expect(beat["payload"]?["claude_status"]?.string == "idle")
        #expect(beat["payload"]?["uptime_seconds"]?.integer == 5)
    }

    @Test("to clients of JSON-RPC it is a notification, with the members of the bare form beside")
    func notification() throws {
        let hub = makeHub(output)
        hub.attach(1, transport: .jsonRPC)
        hub.subscribe(2, .dialect)
        hub.tick(now: start.adding(seconds: 30), time: start.adding(seconds: 30), report: report)
        let told = try #require(output.sent[1]?.first.flatMap { parse(payloads(ofFrames: $0)[0]) })
        let bare = try #require(output.sent[2]?.first.flatMap { parse(payloads(ofFrames: $0)[0]) })
        #expect(told["jsonrpc"] == .string("2.0"))
        #expect(told["method"] == .string("heartbeat"))
        #expect(told["id"] == nil)
        #expect(told["params"] == bare)
        guard case .object(let members) = bare else { throw Unexpected() }
        for (name, value) in members { #expect(told[name] == value) }
    }

    private struct Unexpected: Error {}

    @Test("event streams get a comment each 20 s")
    func eventStreams() {
        let hub = makeHub(output)
        hub.subscribe(1, .serverSentEvents)
        hub.tick(now: start.adding(seconds: 20), time: start.adding(seconds: 20), report: report)
        #expect(output.sent[1] == [[UInt8](": heartbeat\n\n".utf8)])
    }

    @Test("a socket that takes no more is left out, and one that fills up goes on from where it was")
    func blocked() {
        let hub = makeHub(output)
        hub.subscribe(1)
        output.results[1] = .waiting(bytes: 1)
        hub.tick(now: start.adding(seconds: 30), time: start.adding(seconds: 30), report: report)
        hub.publish([encoded(1)])
        hub.tick(now: start.adding(seconds: 60), time: start.adding(seconds: 60), report: report)
        #expect(output.sent[1]?.count == 1)
        output.results[1] = .sent
        hub.drained(1)
        #expect(output.seqs(1) == [1])
    }
}

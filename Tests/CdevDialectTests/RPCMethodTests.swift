import EventModel
import FanoutSamples
import JSON
import RPC
import Testing
import WSFanout

@testable import CdevDialect

@Suite("RPC methods")
struct RPCMethodTests {
    private func call(_ method: String, _ params: String = "{}", in session: inout RPCSession<CdevHost>) -> (
        JSONValue?, [HubAction]
    ) {
        let text = #"{"jsonrpc":"2.0","id":1,"method":"\#(method)","params":\#(params)}"#
        let output = session.receive([UInt8](text.utf8), in: context)
        return (output.messages.first.flatMap(parse), output.hubActions)
    }

    private func position(_ seq: Int64) -> StreamPosition { StreamPosition(epoch: epoch, seq: seq) }

    @Test(
        "initialize answers both spellings and starts every event at the head",
        arguments: ["clientInfo", "client_info"]
    )
    func initialize(spelling: String) throws {
        var session = newSession()
        let (reply, actions) = call(
            "initialize",
            #"{"protocolVersion":"1.0","\#(spelling)":{"name":"app","version":"2"},"capabilities":{},"rootPath":null}"#,
            in: &session
        )
        let result = try #require(reply?["result"])
        #expect(result["protocolVersion"] == .string("1.0"))
        for name in ["serverInfo", "server_info"] {
            #expect(result[name]?["name"] == .string("claude-monitor"))
            #expect(result[name]?["version"] == .string("1.2.3"))
        }
        #expect(result["clientId"] == .string("c-1"))
        #expect(result["epoch"] == .string(epoch))
        #expect(result["seq"] == .integer(41))
        let capabilities = try #require(result["capabilities"])
        #expect(capabilities["supportedAgents"]?.array == [.string("claude")])
        #expect(capabilities["agent"]?["run"] == .bool(false))
        #expect(capabilities["git"]?["push"] == .bool(false))
        #expect(capabilities["notifications"]?.array?.isEmpty == false)
        #expect(actions == [.subscribe(.all, after: position(41))])
        let (again, nothing) = call("initialize", in: &session)
        #expect(again?["result"] == result)
        #expect(nothing.isEmpty)
    }

    @Test("a client info of the wrong shape leaves the session as it was")
    func initializeRefused() {
        var session = newSession()
        let (reply, actions) = call("initialize", #"{"clientInfo":{"name":7}}"#, in: &session)
        #expect(reply?["error"]?["code"] == .integer(-32602))
        #expect(actions.isEmpty && !session.isOpen)
    }

    @Test(
        "event/subscribe answers where the stream goes on and whether nothing is missing",
        arguments: [
            ("{}", Int64(41), true),
            (#"{"since":null}"#, 41, true),
            (#"{"since":{"epoch":"e1","seq":30}}"#, 30, true),
            (#"{"since":{"epoch":null,"seq":30}}"#, 30, true),
            (#"{"since":{"seq":30}}"#, 30, true),
            (#"{"since":{"epoch":"e1","seq":10}}"#, 10, true),
            (#"{"since":{"epoch":"e1","seq":41}}"#, 41, true),
            (#"{"since":{"epoch":"e1","seq":9}}"#, 41, false),
            (#"{"since":{"epoch":"e1","seq":42}}"#, 41, false),
            (#"{"since":{"epoch":"e0","seq":30}}"#, 41, false),
        ]
    )
    func subscribe(params: String, seq: Int64, recovered: Bool) {
        var session = readySession()
        let (reply, actions) = call("event/subscribe", params, in: &session)
        #expect(reply?["result"]?["epoch"] == .string(epoch))
        #expect(reply?["result"]?["seq"] == .integer(seq))
        #expect(reply?["result"]?["recovered"] == .bool(recovered))
        #expect(actions == [.subscribe(.all, after: position(seq))])
    }

    @Test("filters are taken over; a type may be named in any of its words")
    func filters() {
        var session = readySession()
        let (_, actions) = call(
            "event/subscribe",
            #"{"workspace_id":"ws-1","session_id":"s1","types":["tool","UserPromptSubmit"]}"#,
            in: &session
        )
        let filter = EventFilter(workspaceID: "ws-1", sessionID: "s1", types: [.tool, .prompt])
        #expect(actions == [.subscribe(filter, after: position(41))])
    }

    @Test(
        "a wrong parameter is named",
        arguments: [
            (#"{"since":5}"#, "since"), (#"{"since":{}}"#, "since.seq"), (#"{"since":{"seq":-1}}"#, "seq"),
            (#"{"since":{"seq":"5"}}"#, "seq"), (#"{"since":{"seq":1.5}}"#, "seq"),
            (#"{"since":{"seq":5,"epoch":1}}"#, "epoch"), (#"{"session_id":7}"#, "session_id"),
            (#"{"session_id":""}"#, "session_id"), (#"{"workspace_id":[]}"#, "workspace_id"),
            (#"{"types":"tool"}"#, "types"), (#"{"types":[]}"#, "types"), (#"{"types":[1]}"#, "types"),
        ]
    )
    func wrongParameter(params: String, name: String) {
        var session = readySession()
        let (reply, actions) = call("event/subscribe", params, in: &session)
        #expect(reply?["error"]?["code"] == .integer(-32602))
        #expect(reply?["error"]?["data"]?["param"] == .string(name))
        #expect(actions.isEmpty)
    }

    @Test("unsubscribe and shutdown say what has to happen")
    func endings() {
        var session = readySession()
        let (unsubscribed, first) = call("event/unsubscribe", in: &session)
        #expect(unsubscribed?["result"] == .object([]))
        #expect(first == [.unsubscribe])
        let (stopped, second) = call("shutdown", in: &session)
        #expect(stopped?["result"]?["success"] == .bool(true))
        #expect(second == [.close(.normal)])
        #expect(call("ping", in: &session).0 == nil)
    }

    @Test("a method of another group joins by the table alone")
    func ownMethods() {
        let echo = RPCMethod<CdevHost>.immediate("test/echo", RPCDescription("Says it again.", as: "Empty")) {
            call throws(RPCError) in
            guard let text = try call.params.string("text") else { throw .invalidParameter("text", "is missing") }
            return RPCResult { $0.field("text", text) }
        }
        let table = RPCMethodTable([LifecycleMethods.all, [echo]])
        var session = CdevHost.session(clientID: "c", openedAt: start, methods: table, parse: parse)
        _ = call("initialize", in: &session)
        #expect(call("test/echo", #"{"text":"hé"}"#, in: &session).0?["result"]?["text"] == .string("hé"))
        #expect(call("event/subscribe", in: &session).0?["error"]?["code"] == .integer(-32601))
    }

    @Test("who does not initialize within 10 s is closed with 4001; shutdown closes after its answer")
    func closing() {
        var session = newSession()
        #expect(session.tick(now: start.adding(seconds: 9.9)).isEmpty)
        #expect(session.tick(now: start.adding(seconds: 10)).hubActions == [.close(.notInitialized)])
        var ready = readySession()
        #expect(ready.tick(now: start.adding(seconds: 10)).isEmpty)
        let (answer, actions) = call("shutdown", in: &ready)
        #expect(answer?["result"]?["success"] == .bool(true) && actions == [.close(.normal)])
    }

    @Test("the answer leaves before the replay, the replay before live events")
    func order() {
        let output = RecordingOutput()
        let hub = makeHub(output, head: 0)
        hub.attach(1, transport: .jsonRPC)
        hub.publish((1...5).map { encoded($0) })
        var session = readySession()
        let text = #"{"jsonrpc":"2.0","id":1,"method":"event/subscribe","params":{"since":{"seq":2}}}"#
        let now = CdevContext(window: hub.window, serverVersion: "1", isHealthy: true, now: start, principal: .admin)
        let answer = session.receive([UInt8](text.utf8), in: now)
        hub.perform(answer.hubActions, after: answer.messages.flatMap { WebSocketFrame.text($0) }, for: 1)
        hub.publish([encoded(6)])
        #expect(output.sent[1]?.count == 3)
        let first = payloads(ofFrames: output.sent[1]?[0] ?? [])[0]
        #expect(parse(first)?["result"]?["recovered"] == .bool(true))
        #expect(output.seqs(1).suffix(4) == [3, 4, 5, 6])
    }
}

import EventModel
import JSON
import Testing

@testable import RPC

@Suite("A peer that calls")
struct CallingTests {
    @Test("a call is a request of its own id, and its answer completes it once")
    func answered() throws {
        var peer = makePeer()
        let (first, text) = try peer.begin("agent/run")
        let (second, _) = try peer.begin("agent/stop")
        #expect(first != second)
        let request = try JSONValue.parse([UInt8](text.utf8))
        #expect(request["jsonrpc"] == .string("2.0") && request["method"] == .string("agent/run"))
        #expect(request["params"]?["n"] == .integer(1))
        let answer = #"{"jsonrpc":"2.0","id":\#(first.number),"result":{"ok":true}}"#
        #expect(peer.hear(answer) == [.complete(first, .completed(.object([("ok", .bool(true))])))])
        #expect(peer.hear(answer).isEmpty)
        #expect(peer.nextDeadline != nil)
    }

    @Test("two peers call each other over one connection")
    func bothDirections() throws {
        var (one, other) = (makePeer(), makePeer())
        let (call, text) = try one.begin("there")
        let (back, backText) = try other.begin("here")
        let asked = try #require(other.hear(text).requests.first)
        let askedBack = try #require(one.hear(backText).requests.first)
        let reply = try #require(other.answer(asked.token, .success(RPCResult { $0.field("a", 1) })).texts.first)
        let replyBack = try #require(one.answer(askedBack.token, .failure(.methodNotFound())).texts.first)
        #expect(one.hear(reply) == [.complete(call, .completed(.object([("a", .integer(1))])))])
        #expect(other.hear(replyBack) == [.complete(back, .failed(.methodNotFound()))])
    }

    @Test("requests, notifications and answers may come in one batch")
    func mixedBatch() throws {
        var peer = makePeer()
        let (call, _) = try peer.begin("m")
        let heard = peer.hear(
            #"[{"jsonrpc":"2.0","id":\#(call.number),"result":1},{"jsonrpc":"2.0","id":"a","method":"x"}]"#
        )
        #expect(heard.first == .complete(call, .completed(.integer(1))))
        #expect(heard.requests.map(\.method) == ["x"])
    }

    @Test("an id of the other end and one of this end are apart")
    func equalIDs() throws {
        var peer = makePeer()
        let (call, _) = try peer.begin("m")
        let request = try #require(
            peer.hear(#"{"jsonrpc":"2.0","id":\#(call.number),"method":"x"}"#).requests.first
        )
        #expect(peer.answer(request.token, .success(.empty)).texts.count == 1)
        #expect(peer.hear(#"{"jsonrpc":"2.0","id":\#(call.number),"result":{}}"#).count == 1)
    }

    @Test("an answer to no call is passed over", arguments: ["4711", #""1""#, "1.0", "null", "-1"])
    func unknownID(id: String) throws {
        var peer = makePeer()
        _ = try peer.begin("m")
        #expect(peer.hear(#"{"jsonrpc":"2.0","id":\#(id),"result":{}}"#).isEmpty)
        #expect(peer.hear(#"{"jsonrpc":"2.0","result":{}}"#).isEmpty)
        #expect(peer.nextDeadline != nil)
    }

    @Test(
        "what an answer says is what the call ends with",
        arguments: [
            (#""result":null"#, .completed(.null)), (#""result":{},"error":null"#, .completed(.object([]))),
            (
                #""error":{"code":-5,"message":"no","data":[1]}"#,
                .failed(RPCError(code: -5, message: "no", data: .array([.integer(1)])))
            ),
            (#""error":"no""#, .failed(.invalidResponse())),
            (#""error":{"message":"no"}"#, .failed(.invalidResponse())),
            (#""error":null"#, .failed(.invalidResponse())),
            (#""result":{},"error":{"code":1,"message":"m"}"#, .failed(RPCError(code: 1, message: "m"))),
        ] as [(String, RPCOutcome)]
    )
    func outcomes(members: String, outcome: RPCOutcome) throws {
        var peer = makePeer()
        let (call, _) = try peer.begin("m")
        #expect(peer.hear(#"{"jsonrpc":"2.0","id":\#(call.number),\#(members)}"#) == [.complete(call, outcome)])
    }

    @Test("a call without an answer ends at its deadline, and an answer that comes later is passed over")
    func deadline() throws {
        var peer = makePeer()
        let (late, _) = try peer.begin("m", within: 5)
        let (later, _) = try peer.begin("m", within: 7)
        #expect(peer.nextDeadline == start.adding(seconds: 5))
        #expect(peer.tick(now: start.adding(seconds: 4.9)).isEmpty)
        #expect(peer.tick(now: start.adding(seconds: 5)) == [.complete(late, .timedOut)])
        #expect(peer.hear(#"{"jsonrpc":"2.0","id":\#(late.number),"result":{}}"#).isEmpty)
        #expect(peer.tick(now: start.adding(seconds: 60)) == [.complete(later, .timedOut)])
        #expect(peer.nextDeadline == nil && peer.tick(now: start.adding(seconds: 61)).isEmpty)
    }

    @Test("more calls than the bound are refused until one has ended")
    func bound() throws {
        var peer = makePeer { $0.pending = 2 }
        let (call, _) = try peer.begin("m", within: 5)
        _ = try peer.begin("m")
        #expect(throws: RPCError.busy()) { try peer.begin("m") }
        _ = peer.hear(#"{"jsonrpc":"2.0","id":\#(call.number),"result":{}}"#)
        _ = try peer.begin("m", within: 5)
        #expect(throws: RPCError.busy()) { try peer.begin("m") }
        #expect(peer.tick(now: start.adding(seconds: 5)).count == 1)
        _ = try peer.begin("m")
    }

    @Test("a notification has no id")
    func notification() throws {
        let peer = makePeer()
        let text = try #require(peer.notify("event/x") { $0.field("n", 1) }.texts.first)
        #expect(text == #"{"jsonrpc":"2.0","method":"event/x","params":{"n":1}}"#)
    }

    @Test("the end of the connection ends every call, and nothing is taken or sent after it")
    func end() throws {
        var peer = makePeer()
        let (first, _) = try peer.begin("m")
        let (second, _) = try peer.begin("m")
        let request = try #require(peer.hear(#"{"jsonrpc":"2.0","id":1,"method":"x"}"#).requests.first)
        #expect(
            peer.end() == [.complete(first, .ended), .complete(second, .ended)]
        )
        #expect(peer.answer(request.token, .success(.empty)).isEmpty)
        #expect(peer.hear(#"{"jsonrpc":"2.0","id":1,"method":"x"}"#).isEmpty && peer.notify("x").isEmpty)
        #expect(throws: RPCError.disconnected()) { try peer.begin("m") }
        #expect(peer.end().isEmpty)
    }
}

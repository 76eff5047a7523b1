import EventModel
import JSON
import Testing

@testable import RPC

@Suite("A peer that is called")
struct BeingCalledTests {
    @Test(
        "an id comes back as it came",
        arguments: ["1", "0", "-7", "9223372036854775807", "1.5", #""a""#, #""""#, #""q\"\\\u0001é""#, "null"]
    )
    func legalID(id: String) throws {
        var peer = makePeer()
        let request = try #require(
            peer.hear(#"{"jsonrpc":"2.0","id":\#(id),"method":"m","params":{"a":1}}"#).requests.first
        )
        #expect(request.method == "m" && request.params?["a"] == .integer(1) && !request.isNotification)
        let answer = peer.answer(request.token, .success(RPCResult { $0.field("b", 2) }))
        #expect(answer.texts == [#"{"jsonrpc":"2.0","id":\#(id),"result":{"b":2}}"#])
        #expect(peer.answer(request.token, .success(.empty)).isEmpty)
    }

    @Test(
        "what is no message of JSON-RPC is refused and delivered to nobody",
        arguments: [
            ("{", -32700), ("", -32700), ("[]", -32600), ("1", -32600), ("null", -32600), ("{}", -32600),
            (#"{"jsonrpc":"2.0","id":true,"method":"m"}"#, -32600),
            (#"{"jsonrpc":"2.0","id":{},"result":{}}"#, -32600), (#"{"jsonrpc":"1.0","id":1,"method":"m"}"#, -32600),
            (#"{"id":1,"method":"m"}"#, -32600), (#"{"jsonrpc":"2.0","id":1}"#, -32600),
            (#"{"jsonrpc":"2.0","id":1,"method":7}"#, -32600),
            (#"{"jsonrpc":"2.0","id":1,"method":"m","params":"p"}"#, -32600),
        ] as [(String, Int64)]
    )
    func malformed(text: String, code: Int64) {
        var peer = makePeer()
        let actions = peer.hear(text)
        #expect(actions.codes == [code] && actions.count == 1)
    }

    @Test("an answer that clients would refuse because of its size is an error, and those beside it arrive")
    func tooLarge() throws {
        var peer = makePeer()
        let heard = peer.hear(#"[{"jsonrpc":"2.0","id":1,"method":"a"},{"jsonrpc":"2.0","id":2,"method":"b"}]"#)
        let long = String(repeating: "x", count: 2 << 20)
        _ = peer.answer(heard.requests[0].token, .success(RPCResult { $0.field("text", long) }))
        let text = try #require(peer.answer(heard.requests[1].token, .success(.empty)).texts.first)
        let replies = try #require(JSONValue.parse(Array(text.utf8)).array)
        #expect(replies[0]["error"]?["data"]?["reason"]?.string == "answer_too_large")
        #expect(replies[0]["id"] == .integer(1) && replies[1]["result"] == .object([]))
        let alone = try #require(peer.hear(#"{"jsonrpc":"2.0","id":3,"method":"a"}"#).requests.first)
        let answer = peer.answer(alone.token, .success(RPCResult { $0.field("text", long) }))
        #expect(answer.codes == [-32602])
    }

    @Test("a notification is delivered and never answered")
    func notification() throws {
        var peer = makePeer()
        let request = try #require(peer.hear(#"{"jsonrpc":"2.0","method":"m"}"#).requests.first)
        #expect(request.isNotification && request.params == nil)
        #expect(!peer.owes(request.message))
        #expect(peer.answer(request.token, .failure(.methodNotFound())).isEmpty)
    }

    @Test("the replies to a batch leave together and in its order, whichever answer comes first")
    func batch() throws {
        var peer = makePeer()
        let heard = peer.hear(
            #"[{"jsonrpc":"2.0","id":1,"method":"a"},7,{"jsonrpc":"2.0","method":"b"},"#
                + #"{"jsonrpc":"2.0","id":"x","method":"c"}]"#
        )
        #expect(heard.requests.map(\.method) == ["a", "b", "c"] && heard.texts.isEmpty)
        let message = heard.requests[0].message
        #expect(Set(heard.requests.map(\.message)) == [message])
        #expect(peer.answer(heard.requests[2].token, .success(.empty)).isEmpty)
        #expect(peer.owes(message))
        let answer = peer.answer(heard.requests[0].token, .failure(.methodNotFound()))
        #expect(
            answer.texts == [
                #"[{"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"Method not found"}},"#
                    + #"{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"#
                    + #""message":"Invalid request: not an object"}},"#
                    + #"{"jsonrpc":"2.0","id":"x","result":{}}]"#
            ]
        )
        #expect(!peer.owes(message))
    }

    @Test("a batch that asks nothing is not answered")
    func silentBatch() {
        var peer = makePeer()
        let heard = peer.hear(#"[{"jsonrpc":"2.0","method":"a"},{"jsonrpc":"2.0","id":9,"result":{}}]"#)
        #expect(heard.requests.count == 1 && heard.count == 1)
    }

    @Test("a batch larger than the bound is refused as one")
    func batchBound() {
        var peer = makePeer { $0.batch = 3 }
        let item = #"{"jsonrpc":"2.0","id":1,"method":"m"}"#
        #expect(peer.hear("[\(item),\(item),\(item)]").requests.count == 3)
        let over = peer.hear("[\(item),\(item),\(item),\(item)]")
        #expect(over.requests.isEmpty && over.codes == [-32600])
    }

    @Test("beyond the bound of unanswered requests they are refused as busy, until one is answered")
    func unansweredBound() throws {
        var peer = makePeer { $0.unanswered = 2 }
        let item = #"{"jsonrpc":"2.0","id":1,"method":"m"}"#
        let first = try #require(peer.hear(item).requests.first)
        #expect(peer.hear(item).requests.count == 1)
        #expect(peer.hear(item).codes == [-32000])
        #expect(peer.hear(#"{"jsonrpc":"2.0","method":"m"}"#).requests.count == 1)
        _ = peer.answer(first.token, .success(.empty))
        #expect(peer.hear(item).requests.count == 1)
    }

    @Test("a flood is not read, a steady pace is")
    func flood() {
        var peer = makePeer {
            $0.perSecond = 10
            $0.burst = 5
        }
        let item = #"{"jsonrpc":"2.0","method":"m"}"#
        for step in 0..<100 { #expect(peer.hear(item, at: Double(step) * 0.11).requests.count == 1) }
        for _ in 0..<4 { #expect(peer.hear(item, at: 100).requests.count == 1) }
        #expect(peer.hear("[\(item),\(item)]", at: 100) == [.flooded])
        #expect(peer.hear(item, at: 100).requests.count == 1, "a batch counts for its requests")
    }
}

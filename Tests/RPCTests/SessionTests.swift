import EventModel
import JSON
import Testing

@testable import RPC

@Suite("A session that serves methods")
struct SessionTests {
    @Test(
        "an id comes back as it came",
        arguments: ["1", "0", "-7", "9223372036854775807", "1.5", #""a""#, #""""#, #""q\"\\\u0001é""#, "null"]
    )
    func legalID(id: String) {
        var session = SampleHost.session()
        let reply = session.ask(#"{"jsonrpc":"2.0","id":\#(id),"method":"ping"}"#)
        #expect(reply == #"{"jsonrpc":"2.0","id":\#(id),"result":{}}"#)
    }

    @Test("an id that is no id is refused with id null", arguments: ["true", "[]", "{}", "[1]"])
    func illegalID(id: String) throws {
        var session = SampleHost.session()
        let text = session.ask(#"{"jsonrpc":"2.0","id":\#(id),"method":"ping"}"#)
        let reply = try #require(parse([UInt8]((text ?? "").utf8)))
        #expect(reply["error"]?["code"] == .integer(-32600))
        #expect(reply["id"] == .null)
    }

    @Test(
        "what is wrong has its code and id",
        arguments: [
            ("", -32700, "null"),
            ("{", -32700, "null"),
            ("nonsense", -32700, "null"),
            (#"{"jsonrpc":"2.0","id":1,"method":"ping""#, -32700, "null"),
            ("[]", -32600, "null"),
            ("1", -32600, "null"),
            (#""ping""#, -32600, "null"),
            ("null", -32600, "null"),
            ("{}", -32600, "null"),
            (#"{"jsonrpc":"2.0","id":1}"#, -32600, "1"),
            (#"{"jsonrpc":"1.0","id":1,"method":"ping"}"#, -32600, "1"),
            (#"{"id":1,"method":"ping"}"#, -32600, "1"),
            (#"{"jsonrpc":2.0,"id":1,"method":"ping"}"#, -32600, "1"),
            (#"{"jsonrpc":"2.0","id":1,"method":7}"#, -32600, "1"),
            (#"{"jsonrpc":"2.0","id":1,"method":"ping","params":"x"}"#, -32600, "1"),
            (#"{"jsonrpc":"2.0","id":1,"method":"ping","params":true}"#, -32600, "1"),
            (#"{"jsonrpc":"2.0","id":1,"method":"ping","params":[1]}"#, -32602, "1"),
            (#"{"jsonrpc":"2.0","id":1,"method":"no/such"}"#, -32601, "1"),
            (#"{"jsonrpc":"2.0","id":"x","method":""}"#, -32601, #""x""#),
            (#"{"jsonrpc":"2.0","id":null,"method":"no/such"}"#, -32601, "null"),
        ]
    )
    func errors(text: String, code: Int, id: String) {
        var session = SampleHost.session()
        let reply = session.ask(text) ?? ""
        #expect(reply.hasPrefix(#"{"jsonrpc":"2.0","id":\#(id),"error":{"code":\#(code),"message":""#))
    }

    @Test(
        "empty parameters in any form are none",
        arguments: [#","params":{}"#, #","params":[]"#, #","params":null"#, #","params":{"unknown":1}"#, ""]
    )
    func noParams(params: String) {
        var session = SampleHost.session()
        let reply = session.ask(#"{"jsonrpc":"2.0","id":1,"method":"ping"\#(params)}"#)
        #expect(reply == #"{"jsonrpc":"2.0","id":1,"result":{}}"#)
    }

    @Test(
        "notifications and responses are not answered, right or wrong",
        arguments: [
            #"{"jsonrpc":"2.0","method":"ping"}"#,
            #"{"jsonrpc":"2.0","method":"no/such"}"#,
            #"{"jsonrpc":"2.0","method":"count","params":{"by":"x"}}"#,
            #"{"jsonrpc":"2.0","id":4,"result":{}}"#,
            #"{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"x"}}"#,
            #"[{"jsonrpc":"2.0","method":"ping"},{"jsonrpc":"2.0","method":"ping"}]"#,
        ]
    )
    func unanswered(text: String) {
        var session = SampleHost.session()
        #expect(session.ask(text) == nil)
    }

    @Test("a batch is answered in its order, wrong items included and notifications left out")
    func batch() {
        var session = SampleHost.session()
        let reply = session.ask(
            #"[{"jsonrpc":"2.0","id":"a","method":"ping"},7,{"jsonrpc":"2.0","method":"ping"},"#
                + #"{"jsonrpc":"2.0","id":2,"method":"count"}]"#
        )
        let invalid = #"{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"Invalid request: not an object"}}"#
        #expect(
            reply == #"[{"jsonrpc":"2.0","id":"a","result":{}},"# + invalid
                + #",{"jsonrpc":"2.0","id":2,"result":{"count":1}}]"#
        )
    }

    @Test("50 requests are a batch, 51 are refused as one")
    func batchBound() {
        var session = SampleHost.session()
        let item = #"{"jsonrpc":"2.0","id":1,"method":"ping"}"#
        let full = session.ask("[" + Array(repeating: item, count: 50).joined(separator: ",") + "]") ?? ""
        #expect(parse([UInt8](full.utf8))?.array?.count == 50)
        let over = session.ask("[" + Array(repeating: item, count: 51).joined(separator: ",") + "]") ?? ""
        #expect(parse([UInt8](over.utf8))?["error"]?["code"] == .integer(-32600))
    }

    private let opening = (method: "hello", deadline: start.adding(seconds: 10))

    @Test("before the opening call everything else is refused and says why")
    func unopened() throws {
        var session = SampleHost.session(opening: opening)
        for method in ["ping", "count", "thing/list", "no/such"] {
            let text = session.ask(#"{"jsonrpc":"2.0","id":1,"method":"\#(method)"}"#) ?? ""
            let error = try #require(parse([UInt8](text.utf8))?["error"])
            #expect(error["code"] == .integer(-32600))
            #expect(error["data"]?["reason"] == .string("not_initialized"))
        }
        #expect(session.hear(#"{"jsonrpc":"2.0","method":"count"}"#).isEmpty)
        #expect(!session.isOpen && session.state == 0)
        let hello = #"{"jsonrpc":"2.0","id":1,"method":"hello"}"#
        #expect(session.hear(hello).actions == ["opened"] && session.isOpen)
        #expect(session.hear(hello).actions.isEmpty)
    }

    @Test("a conversation that is not opened in time ends, once")
    func deadline() {
        var session = SampleHost.session(opening: opening)
        #expect(session.tick(now: start.adding(seconds: 9.9)).isEmpty)
        #expect(session.tick(now: start.adding(seconds: 10)).end == .notOpened)
        #expect(session.tick(now: start.adding(seconds: 11)).isEmpty)
        #expect(session.ask(#"{"jsonrpc":"2.0","id":1,"method":"hello"}"#) == nil)
        var opened = SampleHost.session(opening: opening)
        _ = opened.hear(#"{"jsonrpc":"2.0","id":1,"method":"hello"}"#)
        #expect(opened.tick(now: start.adding(seconds: 100)).isEmpty)
    }

    @Test("a method changes the state and has the host act; one that fails does neither")
    func state() {
        var session = SampleHost.session()
        #expect(session.hear(#"{"jsonrpc":"2.0","id":1,"method":"count","params":{"by":3}}"#).actions == ["counted 3"])
        #expect(session.hear(#"{"jsonrpc":"2.0","id":2,"method":"count","params":{"by":0}}"#).actions.isEmpty)
        #expect(session.state == 3)
    }

    @Test("a caller without the capability is refused")
    func capability() {
        let rights = DeviceRights(name: "phone", owner: nil, grants: Grants([.read]))
        let claims = DeviceClaims(device: DeviceID(rawValue: 5), refusedFrom: start.adding(seconds: 900))
        var session = SampleHost.session()
        let call = #"{"jsonrpc":"2.0","id":1,"method":"thing/list"}"#
        let refused = session.hear(call, as: Principal(.device(claims, rights)))
        #expect(refused.tasks.isEmpty && refused.text?.contains("-32005") == true)
        #expect(session.hear(call).tasks.count == 1)
    }

    @Test("a method that knows no host has the sender")
    func sharedMethod() async throws {
        var session = SampleHost.session()
        let task = try #require(session.hear(#"{"jsonrpc":"2.0","id":1,"method":"who"}"#).tasks.first)
        let answer = session.finish(task.token, await task.run(with: 0))
        #expect(answer.text == #"{"jsonrpc":"2.0","id":1,"result":{"name":"\#(Principal.admin.auditName)"}}"#)
    }

    @Test("whoever exceeds the rate ends the conversation")
    func flooded() {
        var session = SampleHost.session { ($0.perSecond, $0.burst) = (1, 1) }
        let ping = #"{"jsonrpc":"2.0","id":1,"method":"ping"}"#
        #expect(session.ask(ping) != nil)
        #expect(session.hear(ping).end == .flooded)
        #expect(session.hear(ping).isEmpty)
    }
}

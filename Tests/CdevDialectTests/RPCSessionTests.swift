import EventModel
import FanoutSamples
import JSON
import RPC
import Testing
import WSFanout

@testable import CdevDialect

let context = RPCContext(
    window: StreamWindow(epoch: epoch, oldest: 10, head: 41),
    serverVersion: "1.2.3",
    isHealthy: true,
    now: start,
    principal: .admin
)

/// A device that may read.
func reader(_ device: DeviceID = DeviceID(rawValue: 5), _ more: [Capability] = []) -> Principal {
    let rights = DeviceRights(name: "phone", owner: nil, grants: Grants([.read] + more))
    return Principal(.device(DeviceClaims(device: device, refusedFrom: start.adding(seconds: 900)), rights))
}

func newSession() -> RPCSession {
    RPCSession(clientID: "c-1", openedAt: start, parse: parse)
}

func readySession() -> RPCSession {
    var session = newSession()
    _ = session.receive([UInt8](#"{"jsonrpc":"2.0","id":0,"method":"initialize"}"#.utf8), in: context)
    return session
}

extension RPCSession {
    /// The reply's text without its frame; `nil` where nothing is answered.
    mutating func ask(_ text: String) -> String? {
        let output = receive([UInt8](text.utf8), in: context)
        return payloads(ofFrames: output.reply).first.map { String(decoding: $0, as: UTF8.self) }
    }
}

@Suite("RPCSession")
struct RPCSessionTests {
    @Test(
        "an id comes back as it came",
        arguments: ["1", "0", "-7", "9223372036854775807", "1.5", #""a""#, #""""#, #""q\"\\\u0001é""#, "null"]
    )
    func legalID(id: String) {
        var session = readySession()
        let reply = session.ask(#"{"jsonrpc":"2.0","id":\#(id),"method":"ping"}"#)
        #expect(reply == #"{"jsonrpc":"2.0","id":\#(id),"result":{}}"#)
    }

    @Test("an id that is no id is refused with id null", arguments: ["true", "[]", "{}", "[1]"])
    func illegalID(id: String) throws {
        var session = readySession()
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
        var session = readySession()
        let reply = session.ask(text) ?? ""
        #expect(reply.hasPrefix(#"{"jsonrpc":"2.0","id":\#(id),"error":{"code":\#(code),"message":""#))
    }

    @Test(
        "empty parameters in any form are none",
        arguments: [#","params":{}"#, #","params":[]"#, #","params":null"#, #","params":{"unknown":1}"#, ""]
    )
    func noParams(params: String) {
        var session = readySession()
        let reply = session.ask(#"{"jsonrpc":"2.0","id":1,"method":"ping"\#(params)}"#)
        #expect(reply == #"{"jsonrpc":"2.0","id":1,"result":{}}"#)
    }

    @Test(
        "notifications and responses are not answered, right or wrong",
        arguments: [
            #"{"jsonrpc":"2.0","method":"initialized"}"#,
            #"{"jsonrpc":"2.0","method":"no/such"}"#,
            #"{"jsonrpc":"2.0","method":"event/subscribe","params":{"types":7}}"#,
            #"{"jsonrpc":"2.0","id":4,"result":{}}"#,
            #"{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"x"}}"#,
            #"[{"jsonrpc":"2.0","method":"initialized"},{"jsonrpc":"2.0","method":"ping"}]"#,
        ]
    )
    func unanswered(text: String) {
        var session = readySession()
        #expect(session.ask(text) == nil)
    }

    @Test("a batch is answered in its order, wrong items included and notifications left out")
    func batch() {
        var session = readySession()
        let reply = session.ask(
            #"[{"jsonrpc":"2.0","id":"a","method":"ping"},7,{"jsonrpc":"2.0","method":"ping"},"#
                + #"{"jsonrpc":"2.0","id":2,"method":"status/health"}]"#
        )
        let invalid = #"{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"Invalid request: not an object"}}"#
        #expect(
            reply == #"[{"jsonrpc":"2.0","id":"a","result":{}},"# + invalid
                + #",{"jsonrpc":"2.0","id":2,"result":{"status":"healthy","healthy":true}}]"#
        )
    }

    @Test("50 requests are a batch, 51 are refused as one")
    func batchBound() {
        var session = readySession()
        let item = #"{"jsonrpc":"2.0","id":1,"method":"ping"}"#
        let full = session.ask("[" + Array(repeating: item, count: 50).joined(separator: ",") + "]") ?? ""
        #expect(parse([UInt8](full.utf8))?.array?.count == 50)
        let over = session.ask("[" + Array(repeating: item, count: 51).joined(separator: ",") + "]") ?? ""
        #expect(parse([UInt8](over.utf8))?["error"]?["code"] == .integer(-32600))
    }

    @Test("before initialize everything else is refused and says why")
    func uninitialized() throws {
        var session = newSession()
        for method in ["ping", "event/subscribe", "status/health", "no/such"] {
            let text = session.ask(#"{"jsonrpc":"2.0","id":1,"method":"\#(method)"}"#) ?? ""
            let error = try #require(parse([UInt8](text.utf8))?["error"])
            #expect(error["code"] == .integer(-32600))
            #expect(error["data"]?["reason"] == .string("not_initialized"))
        }
        #expect(session.ask(#"{"jsonrpc":"2.0","method":"event/subscribe"}"#) == nil)
        #expect(!session.isInitialized)
    }

    @Test("who does not initialize within 10 s is closed with 4001, once")
    func deadline() {
        var session = newSession()
        #expect(session.tick(now: start.adding(seconds: 9.9)).isEmpty)
        #expect(session.tick(now: start.adding(seconds: 10)).actions == [.close(.notInitialized)])
        #expect(session.tick(now: start.adding(seconds: 11)).isEmpty)
        #expect(session.ask(#"{"jsonrpc":"2.0","id":1,"method":"initialize"}"#) == nil)
        var ready = readySession()
        #expect(ready.tick(now: start.adding(seconds: 100)).isEmpty)
    }
}

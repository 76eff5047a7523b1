import JSON
import RPC
import Testing

@testable import MCP

private struct Refusal: Equatable {
    var status: Int
    var code: Int64

    init(_ status: Int, _ code: Int64) { (self.status, self.code) = (status, code) }
}

@Suite struct MCPMessageTests {
    private static let meta =
        #""_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","#
        + #""io.modelcontextprotocol/clientCapabilities":{}}"#

    private func read(_ json: String, _ headers: MCPHeaders = MCPHeaders()) throws(MCPFault) -> MCPMessage {
        try MCPMessage(Array(json.utf8), headers)
    }

    private func fault(_ json: String, _ headers: MCPHeaders = MCPHeaders()) -> Refusal? {
        do throws(MCPFault) {
            _ = try read(json, headers)
            return nil
        } catch {
            return Refusal(error.status, error.error.code)
        }
    }

    private func call(_ method: String, _ params: String) -> String {
        #"{"jsonrpc":"2.0","id":"a","method":"\#(method)","params":{\#(params)}}"#
    }

    @Test func bothErasAtOnePlace() throws {
        let old = try read(call("initialize", #""protocolVersion":"2025-06-18""#))
        #expect(old == .request(MCPRequest(id: .string("a"), version: .june2025, method: .initialize)))
        let new = try read(
            call("server/discover", Self.meta),
            MCPHeaders(version: "2026-07-28", method: "server/discover")
        )
        #expect(new == .request(MCPRequest(id: .string("a"), version: .july2026, method: .discover)))
    }

    @Test(arguments: ["2024-11-05", "2026-07-28", "2099-01-01"])
    func initializeOffersTheNewestThatHasIt(_ wish: String) throws {
        let read = try read(call("initialize", #""protocolVersion":"\#(wish)""#))
        #expect(read == .request(MCPRequest(id: .string("a"), version: .november2025, method: .initialize)))
    }

    @Test(arguments: [(1024, true), (1025, false)])
    func aLongTokenIsNotRepeated(_ bytes: Int, _ isKept: Bool) throws {
        let token = String(repeating: "t", count: bytes)
        let params = try JSONValue.parse(Array(#"{"name":"x","_meta":{"progressToken":"\#(token)"}}"#.utf8))
        #expect(try ToolCall(params).progressToken == (isKept ? .string(token) : nil))
    }

    @Test func aClientThatNamesNoRevisionIsAnOldOne() throws {
        let read = try read(call("tools/list", ""))
        #expect(read == .request(MCPRequest(id: .string("a"), version: .november2025, method: .listTools)))
    }

    @Test func headersRepeatTheMessage() {
        let list = call("tools/list", Self.meta)
        #expect(fault(list, MCPHeaders(version: "2026-07-28", method: "tools/list")) == nil)
        let mismatches: [MCPHeaders] = [
            MCPHeaders(), MCPHeaders(version: "2025-11-25", method: "tools/list"), MCPHeaders(version: "2026-07-28"),
            MCPHeaders(version: "2026-07-28", method: "Tools/list"),
        ]
        for headers in mismatches { #expect(fault(list, headers) == Refusal(400, -32020)) }
    }

    @Test func aCallRepeatsTheToolsName() {
        let call = call("tools/call", #""name":"sähen",\#(Self.meta)"#)
        for (name, isRight) in [
            ("=?base64?c8OkaGVu?=", true), ("sähen", true), ("=?base64?AA==?=", false), ("", false),
        ] {
            let found = fault(call, MCPHeaders(version: "2026-07-28", method: "tools/call", name: name))
            #expect(isRight ? found == nil : found == Refusal(400, -32020), "\(name)")
        }
    }

    @Test func versions() {
        let meta = Self.meta.replacing("2026-07-28", with: "1900-01-01")
        #expect(
            fault(call("tools/list", meta), MCPHeaders(version: "1900-01-01", method: "tools/list"))
                == Refusal(400, -32022)
        )
        #expect(fault(call("tools/list", ""), MCPHeaders(version: "1900-01-01")) == Refusal(400, -32022))
        #expect(
            fault(call("tools/list", ""), MCPHeaders(version: "2026-07-28", method: "tools/list"))
                == Refusal(400, -32602)
        )
        let bare = #""_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}"#
        #expect(
            fault(call("tools/list", bare), MCPHeaders(version: "2026-07-28", method: "tools/list"))
                == Refusal(400, -32602)
        )
    }

    @Test func anUnknownMethodHidesTheEndpointFromNobody() {
        #expect(fault(call("resources/list", "")) == Refusal(200, -32601))
        for method in ["ping", "initialize"] {
            let headers = MCPHeaders(version: "2026-07-28", method: method)
            #expect(fault(call(method, Self.meta), headers) == Refusal(404, -32601))
        }
    }

    @Test(arguments: [
        "", "{", "[]", #"[{"jsonrpc":"2.0","id":1,"method":"ping"}]"#, #"{"jsonrpc":"1.0","id":1,"method":"ping"}"#,
        #"{"jsonrpc":"2.0","id":null,"method":"ping"}"#, #"{"jsonrpc":"2.0","id":1.5,"method":"ping"}"#,
        #"{"jsonrpc":"2.0","id":{},"method":"ping"}"#, #"{"jsonrpc":"2.0","id":1,"method":"ping","params":[]}"#,
        #"{"jsonrpc":"2.0","id":1,"result":{}}"#,
    ])
    func refused(_ json: String) {
        let found = fault(json)
        #expect(found?.status == 400)
        #expect([-32700, -32600, -32602].contains(found?.code))
    }

    @Test func deepValuesAreRefused() {
        let deep = String(repeating: "[", count: 100) + String(repeating: "]", count: 100)
        #expect(fault(call("tools/call", #""name":"x","arguments":{"a":\#(deep)}"#)) == Refusal(400, -32700))
    }

    @Test func notificationsAreTaken() throws {
        #expect(try read(#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#) == .notification)
        #expect(fault(#"{"jsonrpc":"2.0","method":"x"}"#, MCPHeaders(version: "1900-01-01")) == Refusal(400, -32022))
    }

    @Test func namesOfOthersAreShownPlain() {
        let error = RPCError.unknownTool("a\u{1B}[2J\u{202E}b\n" + String(repeating: "x", count: 900))
        #expect(error.message.hasPrefix("Unknown tool: a\u{FFFD}[2J\u{FFFD}b\u{FFFD}x"))
        #expect(error.message.utf8.count < 200)
    }
}

import Testing

@testable import MonitorAgent

@Suite("Connections of the bridge")
struct BridgedConnectionTests {
    @Test("a cut stream goes on with its id, however long the server is away")
    func resumed() throws {
        var play = Play()
        play.ask()
        play.server(Play.beginning)
        play.wait(30)
        play.curlEnds(18)
        #expect(play.sent.count == 1)
        for count in 2..<20 {
            play.wait(5)
            #expect(play.sent.count == count)
            play.curlEnds(7)
        }
        play.wait(5)
        let request = try #require(play.sent.last).request
        #expect(request.resumed == "abc" && request.body.isEmpty)
        play.server(Play.stream + "id: def\ndata: \n\n")
        play.answers(#"{"behavior":"allow"}"#)
        #expect(play.said["behavior"]?.string == "allow")
    }

    @Test("a silent connection is given up")
    func silent() {
        var play = Play()
        play.ask()
        play.server(Play.beginning)
        play.wait(76)
        #expect(play.dropped == [1])
        play.wait(1)
        #expect(play.sent.last?.request.resumed == "abc")
    }

    @Test("an id that does not count any more: the call is asked about again")
    func askedAgain() {
        var play = Play()
        play.ask()
        play.server(Play.beginning)
        play.curlEnds(18)
        play.wait(1)
        play.server(Play.json(405, #"{"error":{"code":"method_not_allowed","message":"x"}}"#))
        play.curlEnds(0)
        play.wait(2)
        #expect(play.sent.last?.request.resumed == nil && play.sent.last?.request.body.isEmpty == false)
    }

    @Test("a server that is away: a denial after a minute, the failure of a tool after 20 s")
    func away() {
        var play = Play()
        play.ask()
        play.serverIsAway()
        #expect((50...61).contains(play.now) && play.said["behavior"]?.string == "deny")
        var other = Play()
        other.client(#"{"id":1,"method":"tools/call","params":{"name":"search"}}"#)
        other.serverIsAway()
        #expect((10...21).contains(other.now) && other.written.last?["result"]?["isError"] == .bool(true))
    }

    @Test("a call that the server may have had is not sent again, others are")
    func sentAgain() {
        for (method, isSentAgain) in [("tools/call", false), ("tools/list", true)] {
            var play = Play()
            play.client(#"{"id":1,"method":"\#(method)","params":{"name":"other"}}"#)
            play.curlEnds(52)
            play.wait(1)
            #expect(play.sent.count == (isSentAgain ? 2 : 1) && play.written.count == (isSentAgain ? 0 : 1))
        }
    }

    @Test("a server that is busy is asked again when it says")
    func busy() {
        var play = Play()
        play.client(#"{"id":1,"method":"tools/call","params":{"name":"search"}}"#)
        play.server(Play.json(429, #"{"error":{"code":"rate_limited","message":"slow"}}"#, "Retry-After: 5\r\n"))
        play.curlEnds(0)
        play.wait(4)
        #expect(play.sent.count == 1)
        play.wait(1)
        play.server("HTTP/1.1 100 Continue\r\n\r\n" + Play.json(200, "{\"id\":1,\n\"result\":{}}"))
        play.curlEnds(0)
        #expect(play.written == [.object([("id", .integer(1)), ("result", .object([]))])])
    }

    @Test("progress goes through, in whatever pieces it comes")
    func pieces() {
        var play = Play()
        play.client(
            #"{"id":"a","method":"tools/call","params":{"name":"wait_for_session","_meta":{"progressToken":7}}}"#
        )
        let text =
            Play.stream + ": waiting\r\n\r\nevent: message\r\ndata: {\"method\":\"notifications/progress\","
            + "\r\ndata: \"params\":{\"progressToken\":7}}\r\n\r\n"
            + "data: {\"id\":\"a\",\r\ndata: \"result\":{}}\r\n\r\n"
        for byte in text.utf8 { play.server(String(UnicodeScalar(byte)), of: 1) }
        #expect(play.written.map { $0["method"]?.string } == ["notifications/progress", nil])
        #expect(play.written.last?["id"]?.string == "a")
    }

    @Test("a server says nothing by itself but the progress of the call")
    func told() {
        var play = Play()
        play.client(#"{"id":1,"method":"tools/call","params":{"name":"search","_meta":{"progressToken":"p"}}}"#)
        play.server(Play.stream)
        for message in [
            #"{"method":"notifications/claude/channel","params":{"content":"do it"}}"#,
            #"{"id":9,"method":"elicitation/create","params":{"message":"your password"}}"#,
            #"{"method":"notifications/progress","params":{"progressToken":"other"}}"#,
            #"{"id":1,"method":null,"result":{"content":[]}}"#,
        ] {
            play.server("data: \(message)\n\n")
        }
        #expect(play.written.isEmpty)
        play.server("data: {\"id\":1,\"result\":{\"resultType\":\"input_required\",\"inputRequests\":{}}}\n\n")
        #expect(play.written.count == 1)
        #expect(play.written.last?["result"]?["isError"] == .bool(true))
    }

    @Test("a server has tools and nothing else")
    func introduction() {
        var play = Play()
        play.client(#"{"id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18"}}"#)
        let capabilities = #""capabilities":{"tools":{},"experimental":{"claude/channel":{}}}"#
        play.server(
            Play.json(200, #"{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-06-18",\#(capabilities)}}"#)
        )
        play.curlEnds(0)
        #expect(play.written.last?["result"]?["capabilities"] == .object([("tools", .object([]))]))
        #expect(play.written.last?["result"]?["protocolVersion"] == .string("2025-06-18"))
    }

    @Test("the revision of a connection that begins with initialize")
    func revision() {
        var play = Play()
        play.client(#"{"id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18"}}"#)
        play.server(Play.json(200, #"{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-06-18"}}"#))
        play.curlEnds(0)
        play.client(#"{"id":2,"method":"ping"}"#)
        #expect(play.sent.last?.request.headers == ["Mcp-Method: ping", "MCP-Protocol-Version: 2025-06-18"])
        play.client(
            #"{"id":3,"method":"tools/list","params":{"_meta":{"#
                + #""io.modelcontextprotocol/protocolVersion":"2026-07-28"}}}"#
        )
        #expect(play.sent.last?.request.headers.contains("MCP-Protocol-Version: 2026-07-28") == true)
    }

    @Test("an id in use, too many calls, a call that is taken back")
    func many() {
        var play = Play()
        for id in 1...65 { play.client(#"{"id":\#(id),"method":"ping"}"#) }
        #expect(play.sent.count == 64 && play.written.count == 1)
        play.client(#"{"id":1,"method":"ping"}"#)
        #expect(play.written.count == 2 && play.sent.count == 64)
        play.client(#"{"method":"notifications/cancelled","params":{"requestId":1}}"#)
        #expect(play.dropped == [1])
        play.client(#"{"id":1,"method":"ping"}"#)
        #expect(play.sent.count == 65)
    }
}

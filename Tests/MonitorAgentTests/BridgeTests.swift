import JSON
import MachinePolicy
import Testing

@testable import MonitorAgent

/// An approvals file that changes.
private final class Mutable {
    var text: String

    init(_ text: String) { self.text = text }
}

/// A bridge with an approvals file, whose actions are recorded.
private struct Play {
    var bridge: Bridge
    var now = 0.0
    var written: [JSONValue] = []
    var sent: [(request: ServerRequest, number: Int)] = []
    var dropped: [Int] = []

    init(approvals: String = "") { self.init(file: Mutable(approvals)) }

    init(file: Mutable) {
        bridge = Bridge(
            Bridge.Machine(
                project: "/work",
                rule: { SettledRule($0, in: Approvals(Array(file.text.utf8)), for: .agent, now: "12:00", home: "/h") },
                isDirectory: { _ in false },
                session: { "s-1" }
            )
        )
    }

    mutating func take(_ actions: [Bridge.Action]) {
        for action in actions {
            switch action {
            case .write(let bytes):
                #expect(!bytes.contains(10))
                written.append((try? JSONValue.parse(bytes)) ?? .null)
            case .send(let request, let number): sent.append((request, number))
            case .drop(let number): dropped.append(number)
            }
        }
    }

    mutating func client(_ line: String) { take(bridge.received(Array(line.utf8), now: now)) }

    /// Asks about a command, as Claude Code does.
    mutating func ask(_ command: String = "make", id: Int = 1) {
        client(
            #"{"jsonrpc":"2.0","id":\#(id),"method":"tools/call","params":{"name":"approve","arguments":{"#
                + #""tool_name":"Bash","input":{"command":"\#(command)"},"tool_use_id":"t"}}}"#
        )
    }

    mutating func server(_ text: String, of number: Int? = nil) {
        take(bridge.output(Array(text.utf8), of: number ?? sent.last?.number ?? 0, now: now))
    }

    mutating func curlEnds(_ code: Int32) { take(bridge.ended(sent.last?.number ?? 0, code, now: now)) }

    mutating func wait(_ seconds: Double) {
        now += seconds
        take(bridge.tick(now: now))
    }

    /// The server answers what was asked.
    mutating func answers(_ decision: String, id: Int = 1) {
        var writer = JSONWriter()
        writer.string(decision)
        let text = String(decoding: writer.bytes, as: UTF8.self)
        let message =
            #"{"jsonrpc":"2.0","id":\#(id),"result":{"content":[{"type":"text","text":\#(text)}],"isError":false}}"#
        server("event: message\ndata: \(message)\n\n")
    }

    /// What the client was told last about a call.
    var said: JSONValue {
        let text = written.last?["result"]?["content"]?.array?.first?["text"]?.string ?? ""
        return (try? JSONValue.parse(Array(text.utf8))) ?? .null
    }

    static let stream = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream; charset=utf-8\r\n\r\n"
    static let beginning = stream + "id: abc\nretry: 10000\ndata: \n\n"

    static func json(_ status: Int, _ body: String, _ head: String = "") -> String {
        "HTTP/1.1 \(status) X\r\nContent-Type: application/json\r\n\(head)\r\n\(body)"
    }
}

@Suite("What the bridge lets through")
struct BridgedApprovalTests {
    @Test("an allowed call, with what the file allows of it")
    func allowed() throws {
        var play = Play(approvals: "tool=Bash hold=100 devices=7\n")
        play.ask()
        let request = try #require(play.sent.first).request
        #expect(request.resumed == nil && !request.body.isEmpty)
        #expect(request.headers.contains("X-Session-Id: s-1") && request.headers.contains("Mcp-Name: approve"))
        #expect(request.headers.contains("X-Hold-Seconds: 100"))
        #expect(request.headers.contains { $0.hasPrefix("X-Hold-Policy: who=answer ") && $0.contains(" devices=7 ") })
        play.server(Play.beginning)
        #expect(play.written.isEmpty)
        play.answers(#"{"behavior":"allow"}"#)
        #expect(play.said == .object([("behavior", .string("allow"))]))
        #expect(play.written.count == 1 && play.dropped == [1] && play.bridge.nextTime == nil)
    }

    @Test(
        "an answer beyond the file is a denial",
        arguments: [
            #"{"behavior":"allow","updatedInput":{"command":"rm -rf /"}}"#,
            #"{"behavior":"allow","updatedPermissions":[{"type":"addRules","behavior":"allow","destination":"session","#
                + #""rules":[{"toolName":"Bash"}]}]}"#,
            #"{"behavior":"allow","updatedPermissions":[{"type":"setMode","mode":"bypassPermissions","#
                + #""destination":"session"}]}"#,
            #"{"behavior":"maybe"}"#, "7", "", "[]",
        ]
    )
    func refused(decision: String) {
        var play = Play()
        play.ask()
        play.server(Play.beginning)
        play.answers(decision)
        #expect(play.said["behavior"]?.string == "deny")
    }

    @Test("an answer to another request, an error and a failure of the tool are denials")
    func otherAnswers() {
        for message in [
            #"{"jsonrpc":"2.0","id":2,"result":{"content":[{"type":"text","text":"{\"behavior\":\"allow\"}"}]}}"#,
            #"{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":"{\"behavior\":\"allow\"}"}}"#,
            #"{"jsonrpc":"2.0","id":null,"error":{"code":1,"message":"no"}}"#,
            #"{"jsonrpc":"2.0","id":1,"result":{"isError":true,"content":[{"type":"text","text":"{\"behavior\":\"allow\"}"}]}}"#,
        ] {
            var play = Play()
            play.ask()
            play.server(Play.json(200, message))
            play.curlEnds(0)
            #expect(play.said["behavior"]?.string == "deny" && play.written.last?["id"] == .integer(1))
        }
    }

    @Test("what the file lets nobody answer is not asked", arguments: ["who=notify\n", "hold=0\n", "nonsense\n"])
    func notAsked(approvals: String) {
        var play = Play(approvals: approvals)
        play.ask()
        #expect(play.sent.isEmpty && play.said["behavior"]?.string == "deny")
    }

    @Test("nobody answers, whatever the server does")
    func late() {
        var play = Play(approvals: "hold=30\n")
        play.ask()
        play.server(Play.beginning)
        for _ in 0..<5 {
            play.wait(20)
            play.server(": waiting\n\n")
        }
        #expect(play.written.isEmpty)
        play.wait(20)
        #expect(play.said["behavior"]?.string == "deny" && play.dropped == [1])
    }
}

@Suite("Questions over the bridge")
struct BridgedQuestionTests {
    private static let ask =
        #"{"id":1,"method":"tools/call","params":{"name":"ask_person","arguments":{"question":"Blue?"}}}"#
    private static let answered =
        #"{"id":1,"result":{"content":[],"structuredContent":{"answered":true,"answer":"yes"}}}"#

    @Test("an answer goes through as it is, if the file lets devices answer questions")
    func answered() {
        var play = Play(approvals: "tool=Bash who=off\n")
        play.client(Self.ask)
        #expect(play.sent.first?.request.headers.contains { $0.hasPrefix("X-Hold-Policy: who=answer ") } == true)
        play.server(Play.beginning + "data: \(Self.answered)\n\n")
        #expect(play.written.last?["result"]?["structuredContent"]?["answer"]?.string == "yes")
    }

    @Test("a file that lets nobody answer, before or after the question was asked")
    func forbidden() {
        var play = Play(approvals: "tool=AskUserQuestion who=notify\n")
        play.client(Self.ask)
        #expect(play.sent.isEmpty && play.written.last?["result"]?["structuredContent"]?["answered"] == .bool(false))
        let file = Mutable("")
        play = Play(file: file)
        play.client(Self.ask)
        file.text = "who=off\n"
        play.server(Play.beginning + "data: \(Self.answered)\n\n")
        #expect(play.written.last?["result"]?["structuredContent"]?["answered"] == .bool(false))
    }
}

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
        while play.written.isEmpty, play.now < 100 {
            play.curlEnds(7)
            play.wait(1)
        }
        #expect((50...61).contains(play.now) && play.said["behavior"]?.string == "deny")
        var other = Play()
        other.client(#"{"id":1,"method":"tools/call","params":{"name":"search"}}"#)
        while other.written.isEmpty, other.now < 100 {
            other.curlEnds(7)
            other.wait(1)
        }
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
        play.client(#"{"id":"a","method":"tools/call","params":{"name":"wait_for_session"}}"#)
        let text =
            Play.stream + ": waiting\r\n\r\nevent: message\r\ndata: {\"method\":\"notifications/progress\"}\r\n\r\n"
            + "data: {\"id\":\"a\",\r\ndata: \"result\":{}}\r\n\r\n"
        for byte in text.utf8 { play.server(String(UnicodeScalar(byte)), of: 1) }
        #expect(play.written.map { $0["method"]?.string } == ["notifications/progress", nil])
        #expect(play.written.last?["id"]?.string == "a")
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
            #"{"id":3,"method":"tools/list","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}}}"#
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

import JSON
import MachinePolicy
import Testing

@testable import MonitorAgent

/// An approvals file that changes.
final class Mutable {
    var text: String

    init(_ text: String) { self.text = text }
}

/// A bridge with an approvals file, whose actions are recorded.
struct Play {
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

    /// No request reaches the server until the client is told something.
    mutating func serverIsAway() {
        var ended = 0
        while written.isEmpty, now < 100 {
            if sent.count > ended { curlEnds(7) }
            ended = sent.count
            wait(1)
        }
    }

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

    @Test("no answer changes the input, also where the file would let a person do so")
    func changed() {
        var play = Play(approvals: "change_input=yes\n")
        play.ask()
        play.server(Play.beginning)
        play.answers(#"{"behavior":"allow","updatedInput":{"command":"rm -rf /"}}"#)
        #expect(play.said["behavior"] == .string("deny"))
    }

    @Test("an answer to another request, an error and a failure of the tool are denials")
    func otherAnswers() {
        for message in [
            #"{"jsonrpc":"2.0","id":2,"result":{"content":[{"type":"text","text":"{\"behavior\":\"allow\"}"}]}}"#,
            #"{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":"{\"behavior\":\"allow\"}"}}"#,
            #"{"jsonrpc":"2.0","id":null,"error":{"code":1,"message":"no"}}"#,
            #"{"id":1,"result":{"isError":true,"content":[{"type":"text","text":"{\"behavior\":\"allow\"}"}]}}"#,
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

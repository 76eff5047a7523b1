import HTTPClient
import JSON
import Testing

@testable import HTTPClient
@testable import Tools

@Suite("Answers of remote MCP servers")
struct RemoteAnswerTests {
    private typealias Outcome = Result<JSONValue, RemoteFault>

    private func head(_ status: Int, _ type: String, _ more: [(String, String)] = []) throws -> OutboundClient.Part {
        let fields = [("Content-Type", type)] + more
        let lines = ["HTTP/1.1 \(status) X"] + fields.map { "\($0.0): \($0.1)" }
        return .head(try #require(ResponseHead(Array(lines.joined(separator: "\r\n").utf8)[...])))
    }

    private func outcome(_ status: Int, _ type: String, _ pieces: [String]) throws -> Outcome {
        var answer = RemoteAnswer(id: 7)
        for part in [try head(status, type)] + pieces.map({ .body(Array($0.utf8)) }) {
            if case .done(let outcome) = answer.take(part) { return outcome }
        }
        return answer.end()
    }

    private let result = #"{"jsonrpc":"2.0","id":7,"result":{"content":[]}}"#
    private var found: Outcome { .success(.object([("content", .array([]))])) }

    @Test("one message, and a stream with other messages before it")
    func forms() throws {
        #expect(try outcome(200, "application/json; charset=utf-8", ["{", String(result.dropFirst())]) == found)
        let progress = #"data: {"jsonrpc":"2.0","method":"notifications/progress","params":{}}"#
        let other = #"data: {"jsonrpc":"2.0","id":8,"result":{}}"#
        let stream = [": x\n\n", progress, "\n\n", other + "\n\nevent: message\nda", "ta: " + result + "\n\n"]
        #expect(try outcome(200, "text/event-stream", stream) == found)
        #expect(try outcome(200, "text/event-stream", Array(stream.dropLast())) == .failure(.noAnswer))
    }

    @Test("a body of pieces of one byte takes no longer than a whole one", .timeLimit(.minutes(1)))
    func smallPieces() throws {
        for (status, type) in [(200, "application/json"), (200, "text/event-stream"), (500, "text/plain")] {
            var answer = RemoteAnswer(id: 7)
            _ = answer.take(try head(status, type))
            var isOver = false
            for _ in 0..<1_000_000 where answer.take(.body([0x20])) != .more { isOver = true }
            #expect(!isOver)
        }
    }

    @Test("a message of too many values is not read")
    func manyValues() throws {
        let values = #"{"id":7,"result":{"a":[\#(String(repeating: "0,", count: 500_000))0]}}"#
        #expect(try outcome(200, "application/json", [values]) == .failure(.tooManyValues))
        #expect(try outcome(200, "text/event-stream", ["data: \(values)\n\n"]) == .failure(.tooManyValues))
    }

    @Test("what is no answer")
    func noAnswers() throws {
        #expect(try outcome(500, "text/html", ["x"]) == .failure(.status(500)))
        #expect(try outcome(404, "application/json", ["{}"]) == .failure(.status(404)))
        #expect(try outcome(200, "application/json", [#"{"id":8,"result":{}}"#]) == .failure(.noAnswer))
        let asks = #"{"id":7,"result":{"resultType":"input_required","inputRequests":{}}}"#
        #expect(try outcome(200, "application/json", [asks]) == .failure(.needsInput))
        for (type, body) in [
            ("text/html", result), ("application/json", "{"), ("application/json", #"{"id":7,"result":[]}"#),
        ] {
            guard case .failure(.malformed) = try outcome(200, type, [body]) else {
                Issue.record("\(type) \(body)")
                continue
            }
        }
    }

    @Test(
        "errors of the protocol count for more than the status",
        arguments: [
            (400, -32022, RemoteFault.failed(code: -32022, message: "a b")),
            (404, -32601, .failed(code: -32601, message: "a b")), (404, -32001, .status(404)),
            (200, -32602, .failed(code: -32602, message: "a b")),
        ]
    )
    func errors(status: Int, code: Int, fault: RemoteFault) throws {
        let body = #"{"jsonrpc":"2.0","id":7,"error":{"code":\#(code),"message":"a\nb"}}"#
        #expect(try outcome(status, "application/json", [body]) == .failure(fault))
    }

    @Test("the challenge of a server that wants other credentials")
    func unauthorized() throws {
        var answer = RemoteAnswer(id: 7)
        let part = try head(401, "text/plain", [("WWW-Authenticate", "Bearer x")])
        #expect(answer.take(part) == .done(.failure(.unauthorized(challenge: "Bearer x"))))
    }

    @Test("only what surely was not carried out may be repeated")
    func repeats() {
        let none: [RemoteFault] = [
            .unauthorized(challenge: nil), .status(404), .status(503), .failed(code: -32602, message: ""),
            .exchange(.connection(ConnectionError(.notConnected, ""))), .exchange(.redirected),
        ]
        for fault in none { #expect(!fault.mayHaveRun, "\(fault)") }
        let perhaps: [RemoteFault] = [
            .status(500), .noAnswer, .failed(code: -32603, message: ""), .exchange(.timedOut), .exchange(.cancelled),
            .exchange(.connection(ConnectionError(.closedByPeer, ""))), .malformed(""),
        ]
        for fault in perhaps { #expect(fault.mayHaveRun, "\(fault)") }
    }
}

@Suite("Tools that remote servers list")
struct RemoteListingTests {
    private func page(_ tools: [String], next: String? = nil) throws -> JSONValue {
        let more = next.map { #","nextCursor":"\#($0)""# } ?? ""
        return try JSONValue.parse(Array(#"{"tools":[\#(tools.joined(separator: ","))]\#(more)}"#.utf8), maxDepth: 64)
    }

    private func tool(_ name: String, _ schema: String = #"{"type":"object"}"#) -> String {
        #"{"name":"\#(name)","inputSchema":\#(schema)}"#
    }

    @Test("pages are added until there is no cursor, or it comes again")
    func pages() throws {
        var listing = RemoteListing()
        #expect(try listing.add(page: page([tool("a")], next: "1")) == "1")
        #expect(try listing.add(page: page([tool("b")], next: "2")) == "2")
        #expect(try listing.add(page: page([tool("c")], next: "1")) == nil)
        #expect(listing.tools.map(\.name) == ["a", "b", "c"])
        #expect(!listing.isComplete)
    }

    @Test("what is not valid is left out")
    func invalid() throws {
        let deep = String(repeating: #"{"a":"#, count: 30) + "1" + String(repeating: "}", count: 30)
        let mark = #"{"type":"object","properties":{"a":{"type":"object","x-mcp-header":"A"}}}"#
        for one in [
            tool("deep", deep), tool("a b"), tool("x", mark), "1",
            tool("big", #"{"a":"\#(String(repeating: "x", count: 70_000))"}"#),
        ] {
            var listing = RemoteListing()
            #expect(try listing.add(page: page([tool("a"), one])) == nil)
            #expect(listing.tools.map(\.name) == ["a"])
            #expect(!listing.isComplete)
        }
    }

    @Test("arguments that headers repeat")
    func mirrored() throws {
        let schema = try JSONValue.parse(
            Array(
                #"{"properties":{"a":{"type":"string","x-mcp-header":"A"},"b":{"type":"integer","x-mcp-header":"B"}}}"#
                    .utf8
            )
        )
        let marks = try #require(MirroredArguments(schema))
        let values = marks.values(of: .object([("a", .string("ä")), ("b", .integer(3)), ("c", .bool(true))]))
        #expect(values.map(\.name) == ["A", "B"])
        #expect(values.map(\.value) == ["ä", "3"])
        #expect(RemoteRequest.headerValue("ä") == "=?base64?w6Q=?=")
        #expect(RemoteRequest.headerValue("a b") == "a b")
    }
}

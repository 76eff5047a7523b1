import HTTPModel
import Testing

@testable import Listener

@Suite struct RequestHeadParserTests {
    private let parser = RequestHeadParser(table: HeaderTable(passing: ["x-api-key", "accept", "content-type"]))

    /// Feeds the text to a `RequestReader` in pieces of `size` bytes and returns the first head.
    private func read(_ text: String, pieces size: Int = .max) throws(HeadFault) -> RequestHead? {
        var reader = RequestReader()
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
            let piece = rest.prefix(size)
            rest = rest.dropFirst(piece.count)
            reader.append(piece)
            if let head = try reader.nextHead(parser, limit: 4096) { return head }
        }
        return nil
    }

    private func fault(_ text: String, pieces size: Int = .max) -> HeadFault? {
        do throws(HeadFault) {
            _ = try read(text, pieces: size)
            return nil
        } catch {
            return error
        }
    }

    @Test func aHeadIsRead() throws {
        let head = try #require(
            try read(
                "POST /a?b HTTP/1.1\r\nHost: h\r\nX-API-Key:\t k k \t\r\nAccept: a\r\nAccept:b\r\nOther: x\r\n\r\n"
            )
        )
        let request = head.request(parser.table, requestID: "r", peer: "p")
        #expect(request.method == .post)
        #expect((request.path, request.query) == ("/a", "b"))
        #expect(request.headers.fields.map(\.name) == ["x-api-key", "accept"])
        #expect(request.headers["x-api-key"] == "k k")
        #expect(request.headers["accept"] == "a, b")
        #expect(head[.host] == "h")
    }

    /// Names that are prefixes of others, and others, before, between and behind what decides: nothing may hide a line.
    @Test func aHeaderNameCannotHideAnotherLine() throws {
        let names = [
            "X", "If", "Con", "Head", "Proxy", "X-Forwarded", "Content", "Content-", "Content-Len", "Content-Length-",
            "H",
            "Ho", "Hos", "Hostt", "Transfer", "Transfer-Encodin", "Transfer-Encodings", "T", "Te", "A", "Accep", "Sec-",
            "Sec-WebSocket",
            "Upgrad", "Up", "Conn", "Connectio", "Expec", "Origi", "X-Api", "X-Request-I", "!#$%&'*+-.^_`|~09", "GET",
            "POST", "HTTP",
        ]
        let methods = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]
        let decisive = ["Host: h", "Content-Length: 5", "Connection: close"]
        for name in names {
            for method in methods {
                for place in 0...decisive.count {
                    var lines = decisive
                    lines.insert("\(name): y", at: place)
                    let text = "\(method) /a HTTP/1.1\r\n" + lines.map { $0 + "\r\n" }.joined() + "\r\n"
                    for size in [1, 7, .max] {
                        let head = try #require(try read(text, pieces: size), "\(name) \(method) \(place)")
                        #expect(head[.host] == "h")
                        #expect(head[.contentLength] == "5")
                        #expect(head[.connection] == "close")
                        #expect(head.values.count(where: { $0 != nil }) == 3)
                    }
                }
            }
        }
    }

    @Test(arguments: [
        ("\r\nGET / HTTP/1.1\r\n\r\n", HeadFault.badRequestLine), (" GET / HTTP/1.1\r\n\r\n", .badRequestLine),
        ("\u{16}\u{3}\u{1}", .badRequestLine), ("GET /\r\n\r\n", .badRequestLine),
        ("GET / HTTP/1.1 \r\n\r\n", .badRequestLine),
        ("GET  / HTTP/1.1\r\n\r\n", .badTarget), ("GET / HTTP/1.11\r\n\r\n", .badRequestLine),
        ("GET / http/1.1\r\n\r\n", .badRequestLine), ("GET\t/ HTTP/1.1\r\n\r\n", .badRequestLine),
        ("G@T / HTTP/1.1\r\n\r\n", .badRequestLine), ("get / HTTP/1.1\r\n\r\n", .unknownMethod),
        ("GET / HTTP/1.1\n\n", .badLineEnd), ("GET / HTTP/1.1\r\nHost: h\n\r\n", .badLineEnd),
        ("GET / HTTP/1.1\rHost: h\r\n\r\n", .badRequestLine), ("GET / HTTP/1.1\r\nHost: h\rX: y\r\n\r\n", .badField),
        ("GET / HTTP/1.2\r\n\r\n", .badVersion), ("GET / HTTP/3.0\r\n\r\n", .badVersion),
        ("GET / HTTP/1.1\r\nHost : h\r\n\r\n", .badField), ("GET / HTTP/1.1\r\nHost\t: h\r\n\r\n", .badField),
        ("GET / HTTP/1.1\r\n: h\r\n\r\n", .badField), ("GET / HTTP/1.1\r\nHost\r\n\r\n", .badField),
        ("GET / HTTP/1.1\r\nHo st: h\r\n\r\n", .badField), ("GET / HTTP/1.1\r\nH\u{e9}: h\r\n\r\n", .badField),
        ("GET / HTTP/1.1\r\nX: a\r\n b\r\n\r\n", .foldedField), ("GET / HTTP/1.1\r\n X: a\r\n\r\n", .foldedField),
        ("GET / HTTP/1.1\r\nX: a\0b\r\n\r\n", .badField), ("GET / HTTP/1.1\r\nX: a\u{7f}\r\n\r\n", .badField),
        ("GET / HTTP/1.1\r\nX: a\u{1b}[0m\r\n\r\n", .badField),
        ("GET / HTTP/1.1\r\nHost: a\r\nhOST: a\r\n\r\n", .repeatedField("host")),
        ("GET / HTTP/1.1\r\nContent-Length: 1\r\nContent-Length: 1\r\n\r\n", .repeatedField("content-length")),
        ("GET / HTTP/1.1\r\nX-Api-Key: 1\r\nX-Api-Key: 2\r\n\r\n", .repeatedField("x-api-key")),
        ("GET http://a/ HTTP/1.1\r\nHost: b\r\n\r\n", .badTarget),
    ])
    func whatIsNotAllowedIsRefusedHoweverItComes(text: String, expected: HeadFault) {
        for size in [1, 2, 3, 16, .max] { #expect(fault(text, pieces: size) == expected, "in pieces of \(size)") }
    }

    @Test func aHeadHasItsBounds() {
        let line = "GET / HTTP/1.1\r\n"
        #expect(fault(line + "X: " + String(repeating: "a", count: 5000) + "\r\n\r\n") == .tooLarge)
        #expect(fault(line + String(repeating: "a", count: 5000), pieces: 100) == .tooLarge)
        #expect(fault(line + String(repeating: "X: y\r\n", count: 101) + "\r\n") == .tooManyFields)
        #expect(fault(line + String(repeating: "X: y\r\n", count: 100) + "\r\n") == nil)
    }

    @Test func headsAndBodiesAreCutApart() throws {
        var reader = RequestReader()
        reader.append("POST /a HTTP/1.1\r\nContent-Length: 3\r\n\r\nabcGET /b HTTP/1.1\r\n\r\nGET /c".utf8)
        #expect(try reader.nextHead(parser, limit: 4096)?.target.path == "/a")
        #expect(reader.take(3) == Array("abc".utf8))
        #expect(try reader.nextHead(parser, limit: 4096)?.target.path == "/b")
        #expect(try reader.nextHead(parser, limit: 4096) == nil)
        #expect(reader.count == 6)
    }
}

import Testing

@testable import HTTPClient

@Suite("ResponseReader")
struct ResponseReaderTests {
    /// The status, the body, and whether the response is whole.
    private struct Reading: Equatable {
        var status: Int?
        var body = ""
        var isWhole = false
    }

    private func read(_ text: String, isEnd: Bool = false, by size: Int = .max) throws(MalformedResponse) -> Reading {
        var reader = ResponseReader()
        var (reading, bytes) = (Reading(), [UInt8]())
        var rest = Array(text.utf8)[...]
        repeat {
            let piece = Array(rest.prefix(size))
            rest = rest.dropFirst(piece.count)
            for part in try reader.take(piece, isEnd: isEnd && rest.isEmpty) {
                switch part {
                case .head(let head): reading.status = head.status
                case .body(let piece): bytes += piece
                case .end: reading.isWhole = true
                }
            }
        } while !rest.isEmpty
        reading.body = String(decoding: bytes, as: UTF8.self)
        return reading
    }

    private func whole(_ body: String, _ status: Int = 200) -> Reading {
        Reading(status: status, body: body, isWhole: true)
    }

    private func isRefused(_ text: String, isEnd: Bool = true) -> Bool { (try? read(text, isEnd: isEnd)) == nil }

    @Test("a response with a length is whole when its bytes are there", arguments: [1, 3, .max])
    func length(size: Int) throws {
        let head = "HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\n"
        #expect(try read("HTTP/1.1 200", by: size) == Reading())
        #expect(try read(head + "ab", by: size) == Reading(status: 200, body: "ab"))
        #expect(try read(head + "abcde", by: size) == whole("abc"))
        #expect(isRefused(head + "ab"))
        #expect(try read("HTTP/1.1 202 Accepted\r\nContent-Length: 0\r\n\r\n", by: size) == whole("", 202))
        #expect(try read("HTTP/1.1 204 No Content\r\n\r\n", by: size) == whole("", 204))
    }

    @Test("a response in chunks", arguments: [1, 2, 5, .max])
    func chunks(size: Int) throws {
        let head = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
        let text = head + "3\r\nabc\r\n0A;x=y\r\n0123456789\r\n0\r\n\r\n"
        #expect(try read(text, by: size) == whole("abc0123456789"))
        for count in 0..<(text.count - 2) { #expect(try !read(String(text.prefix(count)), by: size).isWhole) }
        #expect(isRefused(String(text.dropLast(7))))
        for line in ["x\r\n", "-1\r\n", "7FFFFFFFFFFFFFFF\r\n", "3\r\nabcd\r\n"] {
            #expect(isRefused(head + line, isEnd: false))
        }
        #expect(isRefused(head + String(repeating: "0", count: 2000), isEnd: false))
    }

    @Test("a response without either ends with its connection")
    func untilEnd() throws {
        let text = "HTTP/1.0 200 OK\r\nServer: x\r\n\r\nabc"
        #expect(try read(text) == Reading(status: 200, body: "abc"))
        #expect(try read(text, isEnd: true) == whole("abc"))
    }

    @Test("interim responses come before the one that counts")
    func interim() throws {
        let text = "HTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\na"
        #expect(try read(text) == whole("a"))
        #expect(isRefused("HTTP/1.1 101 Switching Protocols\r\n\r\n", isEnd: false))
        #expect(isRefused(String(repeating: "HTTP/1.1 100 Continue\r\n\r\n", count: 9), isEnd: false))
    }

    @Test(
        "what two readers may read differently is refused",
        arguments: [
            "Content-Length: 3\r\nContent-Length: 3", "Content-Length: 3\r\nTransfer-Encoding: chunked",
            "Transfer-Encoding: gzip", "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked",
            "Content-Encoding: gzip", "Content-Length: -1", "Content-Length: x",
        ]
    )
    func ambiguous(fields: String) {
        #expect(isRefused("HTTP/1.1 200 OK\r\n\(fields)\r\n\r\nabc"))
    }

    @Test(
        "what is not HTTP is refused",
        arguments: [
            "", "\r\n\r\n", "\r\n\r\n\r\n", "SSH-2.0-x\r\n\r\n", "HTTP/2 200\r\n\r\n", "HTTP/1.1\r\n\r\n",
            "HTTP/1.1 999 X\r\n\r\n",
        ]
    )
    func notHTTP(text: String) {
        #expect(isRefused(text))
    }

    @Test("a head without an end is given up")
    func endlessHead() {
        #expect(isRefused("HTTP/1.1 200 OK\r\n" + String(repeating: "a", count: 17 << 10), isEnd: false))
    }
}

@Suite("FetchedDocument")
struct FetchedDocumentTests {
    private func document(_ status: Int, _ fields: [(String, String)]) throws -> FetchedDocument {
        let lines = ["HTTP/1.1 \(status) Word"] + fields.map { "\($0.0): \($0.1)" }
        let head = try #require(ResponseHead(Array(lines.joined(separator: "\r\n").utf8)[...]))
        return try FetchedDocument(OutboundResponse(head: head, body: [97]))
    }

    @Test("only 200 is an answer", arguments: [204, 304, 404, 500, 503])
    func status(code: Int) {
        #expect(throws: FetchError.status(code)) { try document(code, []) }
    }

    @Test(
        "how long it may be kept",
        arguments: [
            ("max-age=100", nil, 100), ("public, Max-Age=100", nil, 100), ("max-age=100", "30", 70),
            ("max-age=10", "30", 0), ("no-store", nil, 0), ("max-age=100, no-cache", nil, 0), ("x", nil, nil),
            ("max-age=x", nil, nil),
        ] as [(String, String?, Int?)]
    )
    func age(control: String, age: String?, seconds: Int?) throws {
        let fields = [("Cache-Control", control)] + (age.map { [("Age", $0)] } ?? [])
        #expect(try document(200, fields) == FetchedDocument(body: [97], maxAge: seconds))
    }
}

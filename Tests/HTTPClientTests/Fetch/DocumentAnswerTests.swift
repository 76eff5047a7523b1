import Testing

@testable import HTTPClient

@Suite("DocumentAnswer")
struct DocumentAnswerTests {
    private func read(_ text: String, isEnd: Bool = false) throws(FetchError) -> DocumentAnswer.Reading {
        try DocumentAnswer.read(Array(text.utf8), isEnd: isEnd)
    }

    private func complete(_ body: String, maxAge: Int? = nil) -> DocumentAnswer.Reading {
        .complete(FetchedDocument(body: Array(body.utf8), maxAge: maxAge))
    }

    private func refusal(_ text: String, isEnd: Bool = true) -> FetchError? {
        do throws(FetchError) {
            _ = try read(text, isEnd: isEnd)
            return nil
        } catch {
            return error
        }
    }

    @Test("an answer with a length is whole when its bytes are there")
    func length() throws {
        let head = "HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\n"
        #expect(try read("HTTP/1.1 200") == .incomplete)
        #expect(try read(head + "ab") == .incomplete)
        #expect(try read(head + "abc") == complete("abc"))
        #expect(refusal(head + "ab") == .malformed)
    }

    @Test("an answer in chunks")
    func chunks() throws {
        let head = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
        let whole = head + "3\r\nabc\r\n0A;x=y\r\n0123456789\r\n0\r\n\r\n"
        #expect(try read(whole) == complete("abc0123456789"))
        for count in 0..<(whole.count - 2) { #expect(try read(String(whole.prefix(count))) == .incomplete) }
        #expect(refusal(String(whole.dropLast(7))) == .malformed)
        #expect(refusal(head + "x\r\n", isEnd: false) == .malformed)
        #expect(refusal(head + "-1\r\n", isEnd: false) == .malformed)
        #expect(refusal(head + "7FFFFFFFFFFFFFFF\r\n", isEnd: false) == .malformed)
    }

    @Test("an answer without either ends with its connection")
    func untilEnd() throws {
        let text = "HTTP/1.0 200 OK\r\nServer: x\r\n\r\nabc"
        #expect(try read(text) == .incomplete)
        #expect(try read(text, isEnd: true) == complete("abc"))
    }

    @Test("only 200 is an answer", arguments: [204, 301, 304, 404, 500, 503])
    func status(code: Int) {
        #expect(refusal("HTTP/1.1 \(code) Word\r\nContent-Length: 0\r\n\r\n") == .status(code))
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
        #expect(refusal("HTTP/1.1 200 OK\r\n\(fields)\r\n\r\nabc") == .malformed)
    }

    @Test(
        "what is not HTTP is refused",
        arguments: ["", "\r\n\r\n", "\r\n\r\n\r\n", "SSH-2.0-x\r\n\r\n", "HTTP/2 200\r\n\r\n", "HTTP/1.1\r\n\r\n"]
    )
    func notHTTP(text: String) {
        #expect(refusal(text) == .malformed)
    }

    @Test("a head without an end is given up")
    func endlessHead() {
        #expect(refusal("HTTP/1.1 200 OK\r\n" + String(repeating: "a", count: 17 << 10), isEnd: false) == .malformed)
    }

    @Test(
        "how long it may be kept",
        arguments: [
            ("Cache-Control: max-age=100", 100), ("Cache-Control: public, Max-Age=100", 100),
            ("Cache-Control: max-age=100\r\nAge: 30", 70), ("Cache-Control: max-age=10\r\nAge: 30", 0),
            ("Cache-Control: no-store", 0), ("Cache-Control: max-age=100, no-cache", 0), ("Expires: never", nil),
            ("Cache-Control: max-age=x", nil),
        ] as [(String, Int?)]
    )
    func age(field: String, seconds: Int?) throws {
        let text = "HTTP/1.1 200 OK\r\n\(field)\r\nContent-Length: 1\r\n\r\na"
        #expect(try read(text) == complete("a", maxAge: seconds))
    }
}

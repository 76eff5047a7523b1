import HTTPModel
import Testing

@testable import Listener

@Suite struct RequestGateTests {
    private let gate = RequestGate(
        names: NameRules(allowedHosts: [], allowedOrigins: [], boundHosts: ["10.0.0.1", "fe80::1", "0.0.0.0"]),
        subprotocols: ["cdev"]
    )

    private let direct = ForwardedAddress()

    /// Parses a head from its lines, given without CR LF.
    private func head(_ line: String = "GET / HTTP/1.1", _ fields: String...) throws -> RequestHead {
        let parser = RequestHeadParser(table: HeaderTable(passing: []))
        let bytes = Array(([line] + fields + ["", ""]).joined(separator: "\r\n").utf8)
        return try parser.parse(bytes, 0..<bytes.count)
    }

    private func status(_ head: RequestHead, isLocal: Bool = false) -> Int? {
        if case .failure(let error) = gate.check(head, isLocal: isLocal, isFollowed: false, address: direct) {
            error.status
        } else {
            nil
        }
    }

    @Test func aPlainGetPasses() throws {
        let head = try head("GET / HTTP/1.1", "Host: localhost")
        #expect(try gate.check(head, isLocal: false, isFollowed: false, address: direct).get() == RequestFraming())
    }

    @Test(
        arguments: [
            "Forwarded: for=a", "X-Forwarded-For: a", "X-Forwarded-Proto: https", "x-forwarded-host: a", "Via: 1.1 a",
        ]
    )
    func whatAProxyHasPassedOnIsRefusedIfTheServerIsForThisComputerOnly(field: String) throws {
        let head = try head("GET / HTTP/1.1", "Host: localhost", field)
        #expect(status(head) == nil)
        var own = gate
        own.refusesForwarded = true
        guard case .failure(let error) = own.check(head, isLocal: false, isFollowed: false, address: direct) else {
            Issue.record("the request passes")
            return
        }
        #expect(error.status == 403 && error.code == "forwarded_request")
    }

    @Test func aBodyHasItsLength() throws {
        let head = try head("POST / HTTP/1.1", "Host: localhost", "Content-Length: 42", "Expect: 100-Continue")
        let framing = RequestFraming(body: .length(42), closes: false, expectsContinue: true)
        #expect(try gate.check(head, isLocal: false, isFollowed: false, address: direct).get() == framing)
    }

    @Test(arguments: ["POST", "GET", "DELETE"])
    func aChunkedBodyHasNoLengthAndKeepsTheConnection(method: String) throws {
        let head = try head(
            "\(method) / HTTP/1.1",
            "Host: localhost",
            "Transfer-Encoding:\t Chunked ",
            "Expect: 100-continue"
        )
        let framing = RequestFraming(body: .chunked, closes: false, expectsContinue: true)
        #expect(try gate.check(head, isLocal: false, isFollowed: true, address: direct).get() == framing)
    }

    @Test(arguments: [
        ("HTTP/1.0", "chunked"), ("HTTP/1.1", ""), ("HTTP/1.1", "identity"), ("HTTP/1.1", "gzip, chunked"),
        ("HTTP/1.1", "chunked, identity"), ("HTTP/1.1", "chunked, chunked"), ("HTTP/1.1", "chunked,"),
        ("HTTP/1.1", ", chunked"), ("HTTP/1.1", "xchunked"), ("HTTP/1.1", "chunked;a=b"), ("HTTP/1.1", "\"chunked\""),
    ])
    func everyOtherCodingIsRefused(version: String, coding: String) throws {
        let head = try head("POST / \(version)", "Host: localhost", "Transfer-Encoding: \(coding)")
        #expect(status(head) == 400)
    }

    @Test func aLengthBesideChunksIsRefused() throws {
        let chunked = "Transfer-Encoding: chunked"
        #expect(status(try head("POST / HTTP/1.1", "Host: localhost", "Content-Length: 0", chunked)) == 400)
        #expect(status(try head("POST / HTTP/1.1", "Host: localhost", chunked, "Content-Length: 5")) == 400)
    }

    @Test func aPostWithoutALengthIsEmptyAndTheLast() throws {
        let head = try head("POST / HTTP/1.1", "Host: localhost")
        #expect(
            try gate.check(head, isLocal: false, isFollowed: false, address: direct).get()
                == RequestFraming(closes: true)
        )
        #expect(throws: APIError.self) { try gate.check(head, isLocal: false, isFollowed: true, address: direct).get() }
    }

    @Test(arguments: [
        ("GET / HTTP/1.1", "Connection: foo, Close", true), ("GET / HTTP/1.0", "X: y", true),
        ("GET / HTTP/1.0", "Connection: Keep-Alive", false), ("GET / HTTP/1.1", "Connection: keep-alive", false),
    ])
    func whoClosesDependsOnTheVersion(line: String, field: String, closes: Bool) throws {
        #expect(
            try gate.check(head(line, "Host: localhost", field), isLocal: false, isFollowed: false, address: direct)
                .get().closes
                == closes
        )
    }

    @Test(arguments: ["", " 3", "3 ", "+3", "-3", "3,3", "0x3", "3.0", "٣", "12345678901"])
    func aLengthIsDigitsOnly(_ text: String) {
        #expect(RequestGate.contentLength(text) == nil)
    }

    @Test func boundAddressesAreAllowedAndWildcardsAreNot() throws {
        #expect(status(try head("GET / HTTP/1.1", "Host: 10.0.0.1:80")) == nil)
        #expect(status(try head("GET / HTTP/1.1", "Host: [FE80::1]:80")) == nil)
        #expect(status(try head("GET / HTTP/1.1", "Host: 0.0.0.0")) == 421)
        #expect(status(try head("GET / HTTP/1.1", "Host: 0.0.0.0"), isLocal: true) == nil)
        #expect(status(try head("GET / HTTP/1.1", "Host: localhost", "Origin: http://10.0.0.1")) == nil)
        let foreign = try head("GET / HTTP/1.1", "Host: localhost", "Origin: http://evil.example")
        #expect(status(foreign, isLocal: true) == 403)
    }

    @Test(arguments: [
        ("monitor.example", "https://Monitor.Example", nil as Int?),
        ("monitor.example:81", "http://monitor.example:81", nil),
        ("monitor.example", "https://monitor.example:81", 403), ("monitor.example:81", "http://monitor.example", 403),
        ("localhost", "https://monitor.example", 403), ("evil.example", "http://evil.example", 421),
    ])
    func aPageOfTheVeryHostThatItCallsIsNotForeign(host: String, origin: String, expected: Int?) throws {
        let gate = RequestGate(
            names: NameRules(allowedHosts: ["monitor.example"], allowedOrigins: [], boundHosts: []),
            subprotocols: []
        )
        let head = try head("GET / HTTP/1.1", "Host: \(host)", "Origin: \(origin)")
        func status(isLocal: Bool) -> Int? {
            if case .failure(let error) = gate.check(head, isLocal: isLocal, isFollowed: false, address: direct) {
                error.status
            } else {
                nil
            }
        }
        #expect(status(isLocal: false) == expected)
        // A name that nobody has checked makes no origin good.
        #expect(status(isLocal: true) == (expected == 421 ? 403 : expected))
    }

    /// `isSecure`: what a declared proxy says of the client's connection.
    @Test(arguments: [
        (true, nil as Bool?, "http://monitor.example", 403 as Int?), (true, nil, "https://monitor.example", nil),
        (false, true, "http://monitor.example", 403), (false, true, "https://monitor.example", nil),
        (true, false, "https://monitor.example", 403), (true, false, "http://monitor.example", nil),
        (true, nil, "http://10.0.0.1", 403), (true, nil, "http://localhost:3000", 403),
        (true, nil, "http://panel.example", 403), (true, nil, "https://panel.example", nil),
        (true, nil, "http://open.example", nil), (true, nil, "https://open.example", 403),
        (false, nil, "http://panel.example", nil), (false, nil, "http://localhost:3000", nil),
    ])
    func aPageOfTheSameHostWithoutTLSIsForeignToAServerWithIt(
        usesTLS: Bool,
        isForwardedSecurely: Bool?,
        origin: String,
        expected: Int?
    ) throws {
        let names = NameRules(
            allowedHosts: ["monitor.example"],
            allowedOrigins: ["panel.example", "http://open.example"],
            boundHosts: ["10.0.0.1"]
        )
        let gate = RequestGate(names: names, subprotocols: [], usesTLS: usesTLS)
        let head = try head("GET / HTTP/1.1", "Host: monitor.example", "Origin: \(origin)")
        var address = ForwardedAddress()
        address.isSecure = isForwardedSecurely
        var status: Int?
        if case .failure(let error) = gate.check(head, isLocal: false, isFollowed: false, address: address) {
            status = error.status
        }
        #expect(status == expected)
        if expected != nil { #expect(gate.readableOrigin(head, isLocal: false, address: address) == nil) }
    }

    @Test(arguments: [
        "a b", "localhost@evil", "localhost/", "localhost:80:80", "localhost:x", ":80", "[::1", "[::1]x", "a,b",
    ])
    func whatIsNoAuthorityIsNoName(_ text: String) {
        #expect(NameRules.name(ofAuthority: text) == nil)
    }

    @Test(arguments: [
        ("", "", nil as Int?),
        ("Connection: keep-alive, Upgrade", "Connection: upgraded", 400),
        ("Sec-WebSocket-Version: 13", "Sec-WebSocket-Version: 14", 426),
        ("Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==", "Sec-WebSocket-Key: short==", 400),
        ("Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==", "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZ ==", 400),
        ("Sec-WebSocket-Protocol: x,  cdev ", "Sec-WebSocket-Protocol: x", 400),
        ("Sec-WebSocket-Protocol: x,  cdev ", "Y: z", nil), ("GET", "POST", 400), ("HTTP/1.1", "HTTP/1.0", 400),
        ("X: y", "Content-Length: 1", 400), ("X: y", "Transfer-Encoding: chunked", 400),
    ])
    func upgradesNeedEveryPart(part: String, replacement: String, expected: Int?) throws {
        let good = [
            "GET / HTTP/1.1", "Host: localhost", "Upgrade: WebSocket", "Connection: keep-alive, Upgrade",
            "Sec-WebSocket-Version: 13", "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
            "Sec-WebSocket-Protocol: x,  cdev ", "X: y", "", "",
        ].joined(separator: "\r\n")
        let bytes = Array((part.isEmpty ? good : good.replacing(part, with: replacement)).utf8)
        let head = try RequestHeadParser(table: HeaderTable(passing: [])).parse(bytes, 0..<bytes.count)
        #expect(gate.checkUpgrade(head, isLocal: false, address: direct)?.status == expected)
        if expected == nil, replacement.isEmpty { #expect(gate.subprotocol(for: head) == "cdev") }
    }
}

import Foundation
import HTTPModel
import Testing

@testable import Listener

/// Bytes that a lenient reader would let through, and what this server says to them.
struct GateCase: Sendable, CustomTestStringConvertible {
    var name: String
    var bytes: String
    /// nil: closed without a word.
    var status: Int?
    var testDescription: String { name }

    init(_ name: String, _ status: Int?, _ bytes: String) {
        self.name = name
        self.bytes = bytes
        self.status = status
    }
}

let host = "Host: localhost\r\n"
private let h2c = "Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABkAARAAAAAAAIAAAAA\r\n"
let smuggled = "GET /smuggled HTTP/1.1\r\n\(host)\r\n"

private let gateCases: [GateCase] = [
    GateCase(
        "length and chunked",
        400,
        "POST /a HTTP/1.1\r\n\(host)Content-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\nabc\(smuggled)"
    ),
    GateCase(
        "chunked GET whose body is no chunk",
        400,
        "GET /a HTTP/1.1\r\n\(host)Transfer-Encoding: chunked\r\n\r\n\(smuggled)"
    ),
    GateCase("unknown coding", 400, "POST /a HTTP/1.1\r\n\(host)Transfer-Encoding: x\r\nContent-Length: 1\r\n\r\na"),
    GateCase(
        "space before colon",
        400,
        "POST /a HTTP/1.1\r\n\(host)Transfer-Encoding : chunked\r\nContent-Length: 3\r\n\r\nabc\(smuggled)"
    ),
    GateCase(
        "tab before colon",
        400,
        "POST /a HTTP/1.1\r\n\(host)Transfer-Encoding\t: chunked\r\nContent-Length: 3\r\n\r\nabc\(smuggled)"
    ),
    GateCase(
        "length with space before colon",
        400,
        "POST /a HTTP/1.1\r\n\(host)Content-Length : 3\r\nContent-Length: 0\r\n\r\n\(smuggled)"
    ),
    GateCase(
        "two lengths",
        400,
        "POST /a HTTP/1.1\r\n\(host)Content-Length: 3\r\nContent-Length: 5\r\n\r\nabc\(smuggled)"
    ),
    GateCase(
        "two equal lengths",
        400,
        "POST /a HTTP/1.1\r\n\(host)Content-Length: 3\r\nContent-Length: 3\r\n\r\nabc\(smuggled)"
    ),
    GateCase("list of lengths", 400, "POST /a HTTP/1.1\r\n\(host)Content-Length: 3, 3\r\n\r\nabc\(smuggled)"),
    GateCase("plus sign", 400, "POST /a HTTP/1.1\r\n\(host)Content-Length: +3\r\n\r\nabc\(smuggled)"),
    GateCase("negative", 400, "POST /a HTTP/1.1\r\n\(host)Content-Length: -1\r\n\r\n\(smuggled)"),
    GateCase("letters after digits", 400, "POST /a HTTP/1.1\r\n\(host)Content-Length: 3abc\r\n\r\nabc\(smuggled)"),
    GateCase("hexadecimal", 400, "POST /a HTTP/1.1\r\n\(host)Content-Length: 0x3\r\n\r\nabc\(smuggled)"),
    GateCase("eleven digits", 400, "POST /a HTTP/1.1\r\n\(host)Content-Length: 00000000003\r\n\r\nabc\(smuggled)"),
    GateCase("bad length on GET", 400, "GET /a HTTP/1.1\r\n\(host)Content-Length: -3\r\n\r\n\(smuggled)"),
    GateCase("POST without length", 411, "POST /a HTTP/1.1\r\n\(host)\r\n\(smuggled)"),
    GateCase("POST without length or body", 200, "POST /a HTTP/1.1\r\n\(host)\r\n"),
    GateCase("no host", 400, "GET /a HTTP/1.1\r\n\r\n"),
    GateCase("empty host", 400, "GET /a HTTP/1.1\r\nHost:\r\n\r\n"),
    GateCase("two hosts", 400, "GET /a HTTP/1.1\r\nHost: localhost\r\nHost: evil.example\r\n\r\n"),
    GateCase("foreign host", 421, "GET /a HTTP/1.1\r\nHost: evil.example\r\n\r\n"),
    GateCase("host that begins well", 421, "GET /a HTTP/1.1\r\nHost: localhost.evil.example\r\n\r\n"),
    GateCase("foreign origin", 403, "GET /a HTTP/1.1\r\n\(host)Origin: https://evil.example\r\n\r\n"),
    GateCase("opaque origin", 403, "GET /a HTTP/1.1\r\n\(host)Origin: null\r\n\r\n"),
    GateCase("unknown expectation", 417, "POST /a HTTP/1.1\r\n\(host)Expect: cake\r\nContent-Length: 1\r\n\r\na"),
    GateCase("version 2 in a version 1 line", 505, "GET /a HTTP/2.0\r\n\(host)\r\n"),
    GateCase(
        "an offer of h2c with a chunked body",
        200,
        "POST /a HTTP/1.1\r\n\(host)\(h2c)Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n\(smuggled)"
    ),
    GateCase("an offer of h2c without a length", 411, "POST /a HTTP/1.1\r\n\(host)\(h2c)\r\n\(smuggled)"),
    GateCase(
        "an offer of h2c with two lengths",
        400,
        "POST /a HTTP/1.1\r\n\(host)\(h2c)Content-Length: 3\r\nContent-Length: 3\r\n\r\nabc\(smuggled)"
    ),
    GateCase("an offer of h2c to a foreign host", 421, "GET /a HTTP/1.1\r\nHost: evil.example\r\n\(h2c)\r\n"),
    GateCase(
        "headers of 20 kB",
        431,
        "GET /a HTTP/1.1\r\n\(host)X-Long: \(String(repeating: "a", count: 20_000))\r\n\r\n"
    ),
    GateCase("CONNECT", 501, "CONNECT localhost:80 HTTP/1.1\r\n\(host)\r\n"),
]

@Suite(.serialized, .timeLimit(.minutes(5))) struct GateTests {
    @Test func eachDoubtfulRequestIsRefusedAndTheConnectionClosed() async throws {
        try await withLoop { _, addresses, _ in
            for item in gateCases + chunkCases {
                let client = try RawClient(addresses[0])
                try client.send(item.bytes)
                let all = String(decoding: try client.readToEnd(), as: UTF8.self)
                let statuses = all.components(separatedBy: "HTTP/1.1 ").dropFirst().map { $0.prefix(3) }
                #expect(statuses == (item.status.map { ["\($0)"] } ?? []), "\(item.name): \(all)")
                #expect(!all.contains("smuggled"), "\(item.name)")
                if item.status != nil, item.status != 200 {
                    #expect(all.lowercased().contains("connection: close"), "\(item.name)")
                    #expect(all.contains("\"request_id\":\"req_"), "\(item.name)")
                }
            }
            #expect(try RawClient(addresses[0]).get("/echo").status == 200)
        }
    }

    @Test(arguments: [
        ("BREW /a HTTP/1.1\r\nHost: localhost\r\n\r\n", 501), ("TRACE /a HTTP/1.1\r\nHost: localhost\r\n\r\n", 501),
        ("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\u{0}\u{4}\0\0\0\0\0", 505), ("\u{16}\u{3}\u{1}\u{2}\0\u{1}\0\u{1}", 400),
    ])
    func whatIsNoRequestIsToldSo(bytes: String, status: Int) async throws {
        try await withLoop { _, addresses, _ in
            for _ in 0..<20 {
                let client = try RawClient(addresses[0])
                try client.send(bytes)
                let all = String(decoding: try client.readToEnd(), as: UTF8.self)
                #expect(all.hasPrefix("HTTP/1.1 \(status) "), "\(all)")
                #expect(all.contains("application/json"))
            }
            #expect(try RawClient(addresses[0]).get("/echo").status == 200)
        }
    }

    @Test func anUnknownUpgradeOnAKeptConnectionIsHarmless() async throws {
        try await withLoop { _, addresses, _ in
            for _ in 0..<20 {
                let client = try RawClient(addresses[0])
                #expect(try client.get("/echo").status == 200)
                let foo = "GET /a HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: foo\r\n\r\n"
                try client.send(foo + foo + smuggled)
                let all = String(decoding: try client.readToEnd(), as: UTF8.self)
                #expect(all.hasPrefix("HTTP/1.1 200 "))
                #expect(all.components(separatedBy: "HTTP/1.1 ").count == 2)
                #expect(!all.contains("smuggled"))
            }
            #expect(try RawClient(addresses[0]).get("/echo").status == 200)
        }
    }

    @Test func anOfferOfH2CIsIgnored() async throws {
        try await withLoop { _, addresses, _ in
            for request in [
                "GET /a HTTP/1.1\r\n\(host)\(h2c)\r\n", "HEAD /a HTTP/1.1\r\n\(host)\(h2c)\r\n",
                "POST /a HTTP/1.1\r\n\(host)\(h2c)Content-Length: 3\r\n\r\nabc",
                "GET /a HTTP/1.0\r\n\(host)\(h2c)\r\n", "GET /a HTTP/1.1\r\n\(host)Upgrade: websocket, h2c\r\n\r\n",
            ] {
                let client = try RawClient(addresses[0])
                try client.send(request + smuggled)
                let all = String(decoding: try client.readToEnd(), as: UTF8.self)
                #expect(all.hasPrefix("HTTP/1.1 200 "), "\(request): \(all)")
                #expect(all.lowercased().contains("connection: close"))
                #expect(!all.lowercased().contains("upgrade:"))
                #expect(!all.contains("smuggled"))
            }
        }
    }

    @Test func allowedHostNamesAreLetIn() async throws {
        try await withLoop(configure: {
            $0.allowedHosts = ["Monitor.Example"]
            $0.allowedOrigins = ["https://app.example:8443", "phone.example"]
        }) { _, addresses, _ in
            let client = try RawClient(addresses[0])
            for name in ["localhost", "LOCALHOST:99", "127.0.0.1:1", "[::1]", "[::1]:8", "monitor.example:443"] {
                try client.send("GET /a HTTP/1.1\r\nHost: \(name)\r\n\r\n")
                #expect(try client.readResponse().status == 200, "\(name)")
            }
            for origin in [
                "http://localhost:3000", "https://app.example:8443", "https://phone.example", "http://[::1]:1",
            ] {
                #expect(try client.get("/a", "Origin: \(origin)\r\n").status == 200, "\(origin)")
            }
            #expect(try client.get("/a", "Origin: https://app.example\r\n").status == 403)
        }
    }

    @Test func aSlowBodyIsCutOff() async throws {
        try await withLoop(configure: {
            $0.bodyGraceSeconds = 1
            $0.minBodyRate = 1000
        }) { _, addresses, _ in
            let client = try RawClient(addresses[0])
            try client.send("POST /a HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100000\r\n\r\nab")
            let response = try client.readResponse()
            #expect(response.status == 408)
            #expect(try client.isClosedByServer())
        }
    }

    @Test func aBodyHasADeadline() async throws {
        try await withLoop(configure: { $0.bodySeconds = 1 }) { _, addresses, _ in
            let client = try RawClient(addresses[0])
            try client.send("POST /a HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100000\r\n\r\nab")
            #expect(try client.readResponse().status == 408)
        }
    }

    @Test func slowHeadersAreCutOff() async throws {
        try await withLoop(configure: { $0.headerSeconds = 1 }) { _, addresses, _ in
            let client = try RawClient(addresses[0])
            try client.send("GET /a HTTP/1.1\r\nHost: loc")
            #expect(try client.readResponse().status == 408)
            #expect(try client.isClosedByServer())
            // Nothing at all is no slow request.
            #expect(try RawClient(addresses[0]).isClosedByServer())
        }
    }

    @Test func anIdleConnectionIsClosed() async throws {
        try await withLoop(configure: { $0.keepAliveSeconds = 1 }) { _, addresses, _ in
            let client = try RawClient(addresses[0])
            #expect(try client.get("/a").status == 200)
            #expect(try client.isClosedByServer())
        }
    }

    @Test func aRequestRenewsTheIdleTime() async throws {
        try await withLoop(configure: { $0.keepAliveSeconds = 4 }) { _, addresses, _ in
            let used = try RawClient(addresses[0])
            let idle = try RawClient(addresses[0])
            #expect(try idle.get("/a").status == 200)
            for _ in 0..<13 {
                #expect(try used.get("/a").status == 200)
                // Keeps its thread: among tests that block theirs, a task would wake up long after its time.
                usleep(500_000)
            }
            #expect(try idle.isClosedByServer())
            #expect(try used.get("/a").status == 200)
            // Its own idle time and a second more: longer than the client waits.
            try await Task.sleep(for: .seconds(3))
            #expect(try used.isClosedByServer())
        }
    }

    @Test func theIdleTimeDoesNotCutAHeadThatHasBegun() async throws {
        try await withLoop(configure: {
            $0.keepAliveSeconds = 2
            $0.headerSeconds = 60
        }) { _, addresses, _ in
            let client = try RawClient(addresses[0])
            #expect(try client.get("/a").status == 200)
            try client.send("GET /b HTTP/1.1\r\nHost: loc")
            // This pause is longer than the idle time, which began with the answer.
            try await Task.sleep(for: .milliseconds(4300))
            try client.send("alhost\r\n\r\n")
            #expect(try client.readResponse().status == 200)
        }
    }

    @Test func aPausingBodyIsCutByItsRateOnly() async throws {
        let head = "POST /a HTTP/1.1\r\nHost: localhost\r\nContent-Length: 10\r\n\r\n12345"
        for (grace, status) in [(60, 200), (4, 408)] {
            try await withLoop(configure: {
                $0.headerSeconds = 1
                $0.bodyGraceSeconds = grace
            }) { _, addresses, _ in
                let client = try RawClient(addresses[0])
                #expect(try client.get("/a").status == 200)
                try client.send(head)
                if status == 200 {
                    // Longer than a head may take.
                    try await Task.sleep(for: .milliseconds(2500))
                    try client.send("67890")
                }
                #expect(try client.readResponse().status == status)
            }
        }
    }
}

import Foundation
import HTTPModel
import Testing

@testable import Listener

@Suite(.serialized, .timeLimit(.minutes(5))) struct ProxyTests {
    private static func binary(_ command: UInt8, _ family: UInt8, _ payload: [UInt8]) -> [UInt8] {
        [0x0d, 0x0a, 0x0d, 0x0a, 0x00, 0x0d, 0x0a, 0x51, 0x55, 0x49, 0x54, 0x0a, 0x20 | command, family]
            + [UInt8(payload.count >> 8), UInt8(payload.count & 255)] + payload
    }

    private static let version2 = binary(1, 0x11, [192, 0, 2, 7, 10, 0, 0, 1, 0, 80, 1, 187])

    @Test(arguments: [
        (Array("PROXY TCP4 192.0.2.7 10.0.0.1 80 443\r\n".utf8), "192.0.2.7" as String?),
        (Array("PROXY TCP6 2001:db8::7 ::1 80 443\r\n".utf8), "2001:db8::7"),
        (Array("PROXY UNKNOWN a b\r\n".utf8), nil),
        (version2, "192.0.2.7"), (binary(0, 0, []), nil), (binary(1, 0x31, Array(repeating: 0, count: 216)), nil),
        (
            binary(1, 0x21, [UInt8](repeating: 1, count: 32) + [0, 1, 0, 2, 3, 0, 1, 9]),
            "101:101:101:101:101:101:101:101"
        ),
    ])
    func aHeaderNamesTheClient(bytes: [UInt8], client: String?) {
        let expected = ProxyHeader.complete(length: bytes.count, client: client.flatMap { IPAddress($0) })
        #expect(ProxyHeader.read(bytes + Array("GET".utf8)) == expected)
        for count in 0..<bytes.count { #expect(ProxyHeader.read(Array(bytes[..<count])) == .incomplete) }
    }

    @Test(arguments: [
        "GET / HTTP/1.1\r\n", "PROXY TCP4 1.2.3.4 5.6.7.8 1\r\n", "PROXY TCP4 ::1 5.6.7.8 1 2\r\n",
        "PROXY TCP4 1.2.3.4 5.6.7.8 1 99999\r\n", "PROXY TCP4 1.2.3.4 5.6.7.8 1 2\n",
        "PROXY TCP4  1.2.3.4 5.6.7.8 1 2\r\n", "PROXY TCP4 " + String(repeating: "1", count: 120),
    ])
    func whatIsNoHeaderIsInvalid(_ text: String) {
        #expect(ProxyHeader.read(Array(text.utf8)) == .invalid)
    }

    @Test func binaryHeadersAreChecked() {
        #expect(ProxyHeader.read(Self.binary(2, 0x11, [UInt8](repeating: 0, count: 12))) == .invalid)
        #expect(ProxyHeader.read(Self.binary(1, 0x11, [1, 2, 3, 4])) == .invalid)
        #expect(ProxyHeader.read(Array(Self.binary(1, 0x11, [UInt8](repeating: 0, count: 3000))[..<16])) == .invalid)
    }

    @Test(arguments: [
        ("192.0.2.7", "192.0.2.7" as String?), ("1.1.1.1, 192.0.2.7, 10.9.8.7", "192.0.2.7"),
        ("192.0.2.7:80 , 10.0.0.1", "192.0.2.7"), ("[2001:db8::7]:80", "2001:db8::7"),
        ("10.0.0.2, 10.0.0.1", "10.0.0.2"),
        ("evil, 10.0.0.1", "10.0.0.1"), ("unknown", nil), ("", nil), ("::ffff:10.0.0.1, 10.1.1.1", "10.0.0.1"),
    ])
    func theClientIsTheLastThatIsNoProxy(value: String, client: String?) throws {
        let proxies = try #require(TrustedProxies(["10.0.0.0/8", "fd00::/9"]))
        #expect(proxies.client(forwardedFor: value) == client)
    }

    @Test func networksAreParsed() throws {
        let proxies = try #require(TrustedProxies(["10.0.0.0/9", "192.0.2.1", "2001:db8::/33", "unix"]))
        for (text, expected) in [
            ("10.127.0.1", true), ("10.128.0.1", false), ("192.0.2.1", true), ("192.0.2.2", false),
            ("2001:db8:7fff::1", true), ("2001:db8:8000::1", false), ("::ffff:10.0.0.1", true),
        ] {
            #expect(proxies.contains(try #require(IPAddress(text))) == expected, "\(text)")
        }
        #expect(proxies.includesUnixSockets)
        for text in ["10.0.0.0/33", "10.0.0/8", "a", "10.0.0.0/-1", "/8", "::/129"] {
            #expect(TrustedProxies([text]) == nil, "\(text)")
        }
    }

    @Test func onlyATrustedProxyIsBelieved() async throws {
        let forwarded = "X-Forwarded-For: 198.51.100.9\r\n"
        try await withLoop { _, addresses, _ in
            #expect(try RawClient(addresses[0]).get("/peer", forwarded).text == "127.0.0.1")
            let client = try RawClient(addresses[0])
            try client.send(Self.version2 + Array("GET /peer HTTP/1.1\r\nHost: localhost\r\n\r\n".utf8))
            #expect(try client.readResponse().status == 400)
        }
        let proxies = try #require(TrustedProxies(["127.0.0.0/8"]))
        try await withLoop(configure: { $0.trustedProxies = proxies }) { _, addresses, _ in
            let client = try RawClient(addresses[0])
            #expect(try client.get("/peer", forwarded).text == "198.51.100.9")
            #expect(try client.get("/peer").text == "127.0.0.1")
        }
    }

    @Test func aClientHasItsShareOfConnections() async throws {
        let proxies = try #require(TrustedProxies(["127.0.0.1"]))
        let configure: (inout ListenerConfiguration) -> Void = {
            $0.trustedProxies = proxies
            $0.usesProxyProtocol = true
            $0.peerConnections = 2
        }
        try await withLoop(configure: configure) { loop, addresses, _ in
            func connect(_ client: String) throws -> (RawClient, Int) {
                let connection = try RawClient(addresses[0])
                let header = "PROXY TCP4 \(client) 10.0.0.1 80 443\r\n"
                try connection.send(header + "GET /peer HTTP/1.1\r\nHost: localhost\r\n\r\n")
                return (connection, try connection.readResponse().status)
            }
            var open = try [connect("192.0.2.7"), connect("192.0.2.7"), connect("192.0.2.8")]
            #expect(open.map(\.1) == [200, 200, 200])
            #expect(try connect("192.0.2.7").1 == 503)
            open.removeFirst()
            while await loop.turn({ $0.connections.count }) > 2 { try await Task.sleep(for: .milliseconds(2)) }
            #expect(try connect("192.0.2.7").1 == 200)
        }
    }

    @Test func theProxyProtocolComesFirst() async throws {
        let proxies = try #require(TrustedProxies(["127.0.0.1"]))
        let configure: (inout ListenerConfiguration) -> Void = {
            $0.trustedProxies = proxies
            $0.usesProxyProtocol = true
            // On a busy machine a header in pieces takes seconds.
            $0.headerSeconds = 60
        }
        try await withLoop(configure: configure) { _, addresses, _ in
            let request = Array("GET /peer HTTP/1.1\r\nHost: localhost\r\n\r\n".utf8)
            for header in [Self.version2, Array("PROXY TCP4 192.0.2.7 10.0.0.1 80 443\r\n".utf8)] {
                let whole = try RawClient(addresses[0])
                try whole.send(header + request + request)
                #expect(try whole.readResponse().text == "192.0.2.7")
                #expect(try whole.readResponse().text == "192.0.2.7")
                let pieces = try RawClient(addresses[0])
                for byte in header {
                    try pieces.send([byte])
                    usleep(1000)
                }
                try pieces.send(request)
                #expect(try pieces.readResponse().text == "192.0.2.7")
            }
            // A proxy that does not name the client may pass on headers that the client wrote.
            let forwarded = "GET /peer HTTP/1.1\r\nHost: localhost\r\nX-Forwarded-For: 6.6.6.6\r\n\r\n"
            for header in [Self.binary(0, 0, []), Array("PROXY UNKNOWN\r\n".utf8)] {
                let unnamed = try RawClient(addresses[0])
                try unnamed.send(header + Array(forwarded.utf8))
                #expect(try unnamed.readResponse().text == "127.0.0.1")
            }
            let bare = try RawClient(addresses[0])
            try bare.send(request)
            #expect(try !String(decoding: bare.readToEnd(), as: UTF8.self).contains(" 200 "))
        }
    }

    @Test func aConnectionThatDoesNotNameItsClientIsClosed() async throws {
        let proxies = try #require(TrustedProxies(["127.0.0.1"]))
        let configure: (inout ListenerConfiguration) -> Void = {
            $0.trustedProxies = proxies
            $0.usesProxyProtocol = true
            $0.headerSeconds = 1
        }
        try await withLoop(configure: configure) { _, addresses, _ in
            let silent = try RawClient(addresses[0])
            #expect(try silent.isClosedByServer())
        }
    }
}

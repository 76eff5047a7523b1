import Testing

@testable import Listener

@Suite struct ForwardedAddressTests {
    private let names = NameRules(allowedHosts: ["monitor.example"], allowedOrigins: [], boundHosts: [])

    private func address(isProxy: Bool = true, _ fields: String...) throws -> ForwardedAddress {
        let parser = RequestHeadParser(table: HeaderTable(passing: []))
        let lines = ["GET / HTTP/1.1", "Host: 127.0.0.1"] + fields + ["", ""]
        let bytes = Array(lines.joined(separator: "\r\n").utf8)
        return ForwardedAddress(try parser.parse(bytes, 0..<bytes.count), isProxy: isProxy, names: names)
    }

    @Test func aTrustedProxySaysHowTheClientCameIn() throws {
        let found = try address(
            "X-Forwarded-Host: monitor.example:8443",
            "X-Forwarded-Proto: https",
            "X-Forwarded-Prefix: /tools/monitor/"
        )
        #expect(found.host == "monitor.example:8443")
        #expect(found.isSecure == true)
        #expect(found.prefix == "/tools/monitor")
    }

    @Test func nobodyElseSaysAnything() throws {
        let fields = "X-Forwarded-Proto: https\r\nX-Forwarded-Host: monitor.example\r\nX-Forwarded-Prefix: /a"
        #expect(try address(isProxy: false, fields) == ForwardedAddress())
    }

    @Test func theNearestProxyCounts() throws {
        #expect(try address("X-Forwarded-Proto: https, http").isSecure == false)
        #expect(try address("X-Forwarded-Proto: http", "X-Forwarded-Proto: HTTPS").isSecure == true)
        #expect(try address("X-Forwarded-Host: evil.example, monitor.example").host == "monitor.example")
        #expect(try address("X-Forwarded-Host: monitor.example, evil.example").host == nil)
    }

    @Test(arguments: ["evil.example", "monitor.example/", "monitor.example@evil.example", "monitor.example:x", ""])
    func aNameThatIsNotTheServersIsIgnored(name: String) throws {
        #expect(try address("X-Forwarded-Host: \(name)").host == nil)
    }

    @Test(arguments: [
        "", "monitor", "//evil.example", "/a//b", "/a/../b", "/./a", "/a?b", "/a#b", "/a%2fb", "/a b", "/a\"b",
    ])
    func aPrefixThatIsNoPathIsIgnored(prefix: String) throws {
        #expect(try address("X-Forwarded-Prefix: \(prefix)").prefix.isEmpty)
        #expect(try address("X-Forwarded-Prefix: /" + String(repeating: "a", count: 200)).prefix.isEmpty)
    }

    @Test(arguments: [("ftp", nil as Bool?), ("", nil), ("wss", true), ("ws", false), ("https;", nil)])
    func onlySchemesOfTheServerCount(scheme: String, expected: Bool?) throws {
        #expect(try address("X-Forwarded-Proto: \(scheme)").isSecure == expected)
    }

    @Test func aPageOfTheNameThatTheClientUsedIsNotForeign() throws {
        let parser = RequestHeadParser(table: HeaderTable(passing: []))
        let bytes = Array(
            "GET / HTTP/1.1\r\nHost: 127.0.0.1:8766\r\nOrigin: https://monitor.example\r\n\r\n".utf8
        )
        let head = try parser.parse(bytes, 0..<bytes.count)
        let gate = RequestGate(names: names, subprotocols: [])
        var address = ForwardedAddress()
        if case .success = gate.check(head, isLocal: false, isFollowed: false, address: address) {
            Issue.record("a page of another name came in")
        }
        address.host = "monitor.example"
        #expect(try !gate.check(head, isLocal: false, isFollowed: false, address: address).get().closes)
    }
}

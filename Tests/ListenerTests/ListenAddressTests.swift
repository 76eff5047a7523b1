import Testing

@testable import Listener

@Suite struct ListenAddressTests {
    @Test(arguments: [
        ("127.0.0.1:8766", ListenAddress.tcp(host: "127.0.0.1", port: 8766)),
        ("localhost:0", .tcp(host: "localhost", port: 0)),
        ("[::1]:65535", .tcp(host: "::1", port: 65535)),
        ("[::ffff:10.0.0.1]:1", .tcp(host: "::ffff:10.0.0.1", port: 1)),
        ("unix:/run/monitor.sock", .unix(path: "/run/monitor.sock")),
    ])
    func readsAndWrites(_ text: String, _ address: ListenAddress) throws {
        #expect(try ListenAddress(parsing: text) == address)
        #expect(address.description == text)
    }

    @Test(arguments: [
        ("", ListenAddressError.missingPort), ("localhost", .missingPort), ("localhost:", .badPort),
        ("localhost:65536", .badPort), ("localhost:-1", .badPort), ("localhost:+1", .badPort), (":80", .badHost),
        ("::1:80", .badHost), ("[::1:80", .badHost), ("[]:80", .badHost), ("[x]:80", .badHost), ("a b:80", .badHost),
        ("unix:relative", .relativePath), ("unix:/" + String(repeating: "a", count: 107), .pathTooLong),
    ])
    func refuses(_ text: String, _ error: ListenAddressError) {
        #expect(throws: error) { try ListenAddress(parsing: text) }
    }

    @Test(arguments: [
        ("127.0.0.1:1", true), ("127.9.9.9:1", true), ("[::1]:1", true), ("[::ffff:127.0.0.1]:1", true),
        ("LocalHost:1", true), ("unix:/s", true), ("0.0.0.0:1", false), ("[::]:1", false), ("10.0.0.7:1", false),
        ("localhost.example:1", false), ("127.1:1", false),
    ])
    func whetherOnlyThisComputerReachesIt(text: String, expected: Bool) throws {
        #expect(try ListenAddress(parsing: text).isLoopback == expected)
    }

    @Test func aBoundAddressHasAURL() {
        #expect(BoundAddress(address: .tcp(host: "::1", port: 1), isSecure: true).url == "https://[::1]:1")
        #expect(BoundAddress(address: .unix(path: "/s"), isSecure: false).url == "unix:/s")
    }
}

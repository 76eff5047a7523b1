import Testing

@testable import HTTPClient

@Suite("HTTPSLocation")
struct HTTPSLocationTests {
    @Test(
        "what an address says",
        arguments: [
            ("https://a.example", "a.example", 443, "/"), ("https://a.example/k/s?x=1", "a.example", 443, "/k/s?x=1"),
            ("https://a.example:8443/k", "a.example", 8443, "/k"), ("https://[::1]:9/k", "::1", 9, "/k"),
            ("https://a.example?x", "a.example", 443, "/?x"),
        ] as [(String, String, UInt16, String)]
    )
    func parses(text: String, host: String, port: UInt16, path: String) throws {
        let location = try #require(HTTPSLocation(text))
        #expect(location.host == host)
        #expect(location.port == port)
        #expect(location.path == path)
    }

    @Test(
        "what is no such address is refused",
        arguments: [
            "", "http://a.example/", "https://", "https:///k", "https://a.example:x/", "https://a.example:99999/",
            "https://u:p@a.example/", "https://a.example/#x", "https://a.example/a b", "https://a.example/\r\nX: y",
            "https://[::1/k",
        ]
    )
    func refuses(text: String) {
        #expect(HTTPSLocation(text) == nil)
    }

    @Test("a request names the host as the far end knows it")
    func request() throws {
        let plain = try #require(HTTPSLocation("https://a.example/k"))
        #expect(String(decoding: plain.request, as: UTF8.self).hasPrefix("GET /k HTTP/1.1\r\nHost: a.example\r\n"))
        let odd = try #require(HTTPSLocation("https://[::1]:9/k"))
        #expect(String(decoding: odd.request, as: UTF8.self).contains("\r\nHost: [::1]:9\r\n"))
    }
}

import Testing

@testable import HTTPClient

@Suite("HTTPLocation")
struct HTTPLocationTests {
    @Test(
        "what an address says",
        arguments: [
            ("https://a.example", "a.example", 443, "/"), ("https://a.example/k/s?x=1", "a.example", 443, "/k/s?x=1"),
            ("https://a.example:8443/k", "a.example", 8443, "/k"), ("https://[::1]:9/k", "::1", 9, "/k"),
            ("https://a.example?x", "a.example", 443, "/?x"), ("http://A.example/K", "a.example", 80, "/K"),
            ("http://a.example:1/p@q", "a.example", 1, "/p@q"),
        ] as [(String, String, UInt16, String)]
    )
    func parses(text: String, host: String, port: UInt16, path: String) throws {
        let location = try #require(HTTPLocation(text))
        #expect(location.host == host)
        #expect(location.port == port)
        #expect(location.path == path)
        #expect(location.isSecure == text.hasPrefix("https"))
    }

    @Test(
        "what is no such address is refused",
        arguments: [
            "", "ftp://a.example/", "https://", "https:///k", "https://a.example:x/", "https://a.example:99999/",
            "https://u:p@a.example/", "https://a.example/#x", "https://a.example/a b", "https://a.example/\r\nX: y",
            "https://[::1/k", "https://a.example\\@b.example/", "//a.example/", "/k",
        ]
    )
    func refuses(text: String) {
        #expect(HTTPLocation(text) == nil)
    }

    @Test("a request names the host as the far end knows it")
    func request() throws {
        let plain = OutboundRequest(.get, try #require(HTTPLocation("https://a.example/k")))
        #expect(String(decoding: plain.bytes, as: UTF8.self).hasPrefix("GET /k HTTP/1.1\r\nHost: a.example\r\n"))
        let odd = OutboundRequest(.get, try #require(HTTPLocation("https://[::1]:9/k")))
        #expect(String(decoding: odd.bytes, as: UTF8.self).contains("\r\nHost: [::1]:9\r\n"))
    }

    @Test(
        "where a redirect leads",
        arguments: [
            ("/other?x", "http://a.example:1/other?x"), ("http://a.example:1/o", "http://a.example:1/o"),
            ("https://b.example", "https://b.example/"), ("//b.example/o", nil), ("other", nil), ("", nil),
        ] as [(String, String?)]
    )
    func redirects(location: String, place: String?) throws {
        let from = try #require(HTTPLocation("http://a.example:1/mcp"))
        #expect(from.redirected(to: location)?.description == place)
    }

    @Test(
        "a header cannot forge another one, nor change where the message ends",
        arguments: [
            ("X-A", "b\r\nX-C: d"), ("X-A", "b\u{0}"), ("X-A", "ä"), ("X A", "b"), ("", "b"), ("X-A:", "b"),
            ("Host", "b"), ("content-length", "1"), ("Transfer-Encoding", "chunked"), ("Connection", "x"),
        ]
    )
    func headers(name: String, value: String) throws {
        var request = OutboundRequest(.post, try #require(HTTPLocation("http://a.example/")))
        let before = request.bytes
        let isSet = request.set(name, value)
        #expect(!isSet)
        #expect(request.bytes == before)
    }
}

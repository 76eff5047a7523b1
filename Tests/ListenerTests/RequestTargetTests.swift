import Testing

@testable import Listener

@Suite struct RequestTargetTests {
    private func target(_ text: String) throws -> RequestTarget {
        try RequestTarget(Array(text.utf8)[...])
    }

    @Test(arguments: [
        ("/a/b", "/a/b", ""), ("/a?b=c&d", "/a", "b=c&d"), ("/a?b?c", "/a", "b?c"), ("/a%20b", "/a%20b", ""),
        ("/%61%2d%7E", "/a-~", ""), ("/a%2fb", "/a%2Fb", ""), ("/a&b+c", "/a%26b%2Bc", ""), ("/a?%zz%1", "/a", "%zz%1"),
        ("/a|b", "/a%7Cb", ""), ("/?x=%09", "/", "x=%09"), ("http://Host:1/a?b", "/a", "b"), ("HTTPS://h/", "/", ""),
    ])
    func aPathHasOneSpelling(text: String, path: String, query: String) throws {
        let target = try target(text)
        #expect(target.path == path)
        #expect(target.query == query)
    }

    @Test(arguments: [
        "", "a", "*", "?a", "/a b", "/a%2", "/%zz", "/a%%20", "/a#b", "/é", "/a\u{7f}", "/a\tb", "/%00", "/a%0a",
        "/?a=%0D", "/a?b=%00", "/a%00?b", "http://", "http://h",
        "http:///a", "ftp://h/a", "//\u{1}",
    ])
    func whatIsNoTargetIsRefused(_ text: String) {
        #expect(throws: HeadFault.badTarget) { _ = try target(text) }
    }

    @Test func aURLNamesItsHost() throws {
        #expect(try target("http://Host.Example:80/a").authority == "host.example:80")
        #expect(try target("/a").authority == nil)
    }
}

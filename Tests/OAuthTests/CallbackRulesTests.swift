import HTTPClient
import HTTPModel
import Testing

@testable import OAuth

@Suite struct CallbackRulesTests {
    private func rules(_ words: [String]) throws -> CallbackRules {
        try #require(CallbackRules(words, publicURL: HTTPLocation("https://monitor.example/base")))
    }

    @Test(arguments: [
        "https://app.example/a?b=c", "https://app.example", "https://monitor.example/x", "act://done", "ACT:done",
        "com.example.app:/done", "http://127.0.0.1:4000/", "http://localhost:1/", "http://[::1]:9/x",
    ])
    func allowed(_ address: String) throws {
        try rules(["https://app.example", "act:"]).require(address)
    }

    @Test(arguments: [
        "https://other.example/", "https://app.example:444/", "https://app.example.other/", "http://app.example/",
        "https://app.example@other.example/", "https://other.example#https://app.example", "https:/\\app.example",
        "javascript:alert(1)", "JavaScript:alert(1)", "data:text/html,x", "file:///etc/passwd", "intent://x",
        "about:blank",
        "other://done", "//app.example", "/path", "", "act", "x:1", "https://app.example/\nx", "act://a\"b",
        "http://127.0.0.1.other.example/", "view-source:https://app.example/",
    ])
    func refused(_ address: String) throws {
        let rules = try rules(["https://app.example", "act:"])
        let error = #expect(throws: APIError.self) { try rules.require(address) }
        #expect(error?.code == "invalid_parameter")
    }

    @Test(arguments: [
        "http://app.example", "https://app.example/", "https://app.example/x", "act", "javascript:", "https:",
    ])
    func wordsThatAreNone(_ word: String) {
        #expect(CallbackRules([word], publicURL: nil) == nil)
    }

    @Test func theEndOfALoginIsAdded() {
        let end = CallbackRules.address("https://app.example/a?b=c", account: "ca_1", isConnected: true)
        #expect(end == "https://app.example/a?b=c&status=success&connected_account_id=ca_1")
        let failed = CallbackRules.address("act://done", account: "ca_1", isConnected: false)
        #expect(failed == "act://done?status=failed&connected_account_id=ca_1")
    }
}

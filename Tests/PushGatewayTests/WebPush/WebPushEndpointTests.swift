import Testing

@testable import PushGateway

@Suite("WebPushEndpoint")
struct WebPushEndpointTests {
    @Test(
        "the parts of a URL",
        arguments: [
            ("https://fcm.googleapis.com/fcm/send/abc:DEF-_", "https://fcm.googleapis.com", "/fcm/send/abc:DEF-_"),
            ("https://push.example.net:443/p", "https://push.example.net", "/p"),
            ("https://push.example.net:8443/p?a=b/c", "https://push.example.net:8443", "/p?a=b/c"),
            ("HTTPS://Push.Example.NET", "https://push.example.net", "/"),
            ("https://push.example.net?x", "https://push.example.net", "/?x"),
            ("https://192.0.2.7/", "https://192.0.2.7", "/"),
            ("https://[2001:DB8::1]:444/", "https://[2001:db8::1]:444", "/"),
        ]
    )
    func parts(text: String, origin: String, target: String) throws {
        let endpoint = try #require(WebPushEndpoint(text))
        #expect(endpoint.origin.description == origin)
        #expect(endpoint.target == target)
    }

    @Test(
        "what is refused",
        arguments: [
            "", "https", "https://", "https:///path", "http://push.example.net/", "ftp://push.example.net/",
            "https://user@push.example.net/", "https://user:pw@push.example.net/", "https://push.example.net/#part",
            "https://push.example.net:0/", "https://push.example.net:65536/", "https://push.example.net:/",
            "https://push.example.net:+443/", "https://push.example.net:0443/", "https://push.example.net:44a/",
            "https://push..net/", "https://.net/", "https://push.net./", "https://-push.net/", "https://push-.net/",
            "https://pu sh.net/", "https://push.net/a b", "https://push.net/\n", "https://push.net/\u{e9}",
            "https://pu_sh.net/", "https://push.net\\@evil.net/", "https://[::1/", "https://::1/", "https://[1.2.3.4]/",
            "https://[fe80::1%25eth0]/", "https://[]/", "https://push.net:\u{661}/",
            "https://push.net/" + String(repeating: "a", count: 2048), "https://" + String(repeating: "a", count: 64),
        ]
    )
    func refused(text: String) {
        #expect(WebPushEndpoint(text) == nil)
    }

    @Test("random text is refused or taken, and never traps", arguments: 1...20)
    func fuzz(seed: UInt64) {
        var random = SeededGenerator(seed)
        let alphabet = Array("https://:/?#@[]%.-_abcXYZ0189 \u{0}\u{e9}")
        for _ in 0..<500 {
            let length = Int.random(in: 0...40, using: &random)
            let tail = String((0..<length).compactMap { _ in alphabet.randomElement(using: &random) })
            for text in [tail, "https://" + tail] {
                guard let endpoint = WebPushEndpoint(text) else { continue }
                #expect(endpoint.target.hasPrefix("/"))
                #expect(WebPushEndpoint(endpoint.origin.description + endpoint.target) == endpoint)
            }
        }
    }
}

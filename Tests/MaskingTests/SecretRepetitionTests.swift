import Testing

@testable import Masking

/// Random texts out of the pieces that the rules look for.
@Suite("Masking twice")
struct SecretRepetitionTests {
    private static let pieces = [
        "password", "token", "=", ":", "\"", "'", "\\", "\\n", "\n", " ", "-", "--", "-u ", "user:", "@", "://",
        "https",
        "***", "ghp_a7B7a7B7a7B7a7B7a7B7", "sk-a7B7a7B7a7B7a7B7", "Bearer ", "Basic ", "a7B7a7B7a7B7a7B7a7B7a7B7a7",
        "|",
        "  ", "-----BEGIN PRIVATE KEY-----", "-----END ", "eyJa7B7a7B7.", "%3D", "%22", "%26", "\u{1B}[31m", "[0m", "m",
        "name", "value", "key", ",", ";", "cookie", "a=b", "login ", "machine ", "password ", ":5432:", "x:y:", "$",
        "{",
        "}", "(", ")", "[", "]", "8Q~", "AA", "123456789", "\\u003d", "_", ".", "é", "DB_PASS", "SERVICE_KEY", "/", "?",
        "#", "\r\n", "\t", "M", "b", "await ", "string", "<", ">", "sig", "&", "`", "api_key",
    ]

    @Test("to mask twice changes nothing", arguments: 0..<8)
    func idempotent(seed: UInt64) {
        var state = seed &* 7919 &+ 1
        func next(_ bound: Int) -> Int {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return Int((state >> 33) % UInt64(bound))
        }
        for _ in 0..<2500 {
            let text = (0..<(2 + next(14))).map { _ in Self.pieces[next(Self.pieces.count)] }.joined()
            let once = SecretMasker.masked(text)
            #expect(SecretMasker.masked(once) == once, "\(text.debugDescription)")
        }
    }

    @Test("a mask brings nothing else into reach")
    func distances() {
        let long = String(repeating: "a7", count: 90)
        let texts = [
            "name: DB_PASS, token: \(long), \(long.prefix(80)), value: hunter2",
            #""value": "\#(long) token=\#(long)", "name": "DB_PASSWORD""#,
            #"{"value": "\#(long) ghp_\#(long)", "name": "DB_PASSWORD"}"#,
        ]
        for text in texts {
            let once = SecretMasker.masked(text)
            #expect(once != text)
            #expect(SecretMasker.masked(once) == once, "\(text)")
        }
    }
}

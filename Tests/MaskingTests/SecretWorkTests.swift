import Testing

@testable import Masking

/// Linear time, told by the bytes that are looked at.
@Suite("Work of masking")
struct SecretWorkTests {
    static let hostile = [
        "a", "sk-", "_sk-", "_eyJ", "_SK", "ghp_ ", "glpat-", "\"", "'", "\\", #"\\\""#, #"\n"#, #"\\n"#, #"\u003d"#,
        "-----BEGIN ",
        "-----BEGIN PRIVATE KEY-----", "-----BEGIN PRIVATE KEY-----\n-----END ", "=", ":", "==:", "a_key=", "token=",
        "password=(", "password=a(", "password:\\", "token: \"", "value:\"", "value:'value:\"", "name:token value:",
        "{\"value\":\"a\",\"name\":\"b\"},", "://", "a://b:", "a://b:c@", "a@b:c", "\u{1B}[", "\u{1B}[31m", "[31m",
        "%3D", "%253D", "%", "-", "--", " --token", " -u a:", " -u 1:1", "eyJ.", "eyJaaaaaaaaaa.", "bearer ", "Basic a",
        "login a password ", "password ", "token: |\n a", "token: |\n  a\n b", "h:5432:", "h:5432:a:b:", "1234567:AA",
        "cookie: ", "cookie: a=", "M.N.O.", "Maaaaaaaaaaaaaaaaaaaaaaaaa.", "8Q~", "a8Q~", "sig=a", "SK", "EAAA", "~",
        "secret_a_", "A_TOKEN_", "hooks.slack.com/services/", "1//0",
    ]

    @Test("the work grows no faster than the text", arguments: hostile)
    func linear(unit: String) {
        let small = work(unit, bytes: 20_000)
        let large = work(unit, bytes: 200_000)
        #expect(large <= small * 11 + 10_000, "\(small) bytes looked at, then \(large)")
        #expect(large <= 40 * 200_000, "\(large) bytes looked at")
    }

    @Test("the work grows no faster than the text where code stays visible", arguments: hostile)
    func linearExceptCode(unit: String) {
        var works: [Int] = []
        for bytes in [20_000, 200_000] {
            var work = 0
            let text = String(repeating: unit, count: bytes / unit.utf8.count)
            _ = SecretMasker.maskedExceptCode(Array(text.utf8).span, work: &work)
            works.append(work)
        }
        #expect(works[1] <= works[0] * 11 + 10_000, "\(works[0]) bytes looked at, then \(works[1])")
        #expect(works[1] <= 80 * 200_000, "\(works[1]) bytes looked at")
    }

    /// The quotes of each value are deeper than those of the one before, so that none ends another.
    @Test("values that do not end are not read to the end again and again")
    func depths() {
        func text(_ count: Int) -> String {
            (0..<count).map { "pass:" + String(repeating: "\\", count: $0) + "\"" }.joined()
        }
        let text = text(600)
        var work = 0
        _ = SecretMasker.masked(Array(text.utf8).span, work: &work)
        #expect(work <= 40 * text.utf8.count)
    }

    private func work(_ unit: String, bytes: Int) -> Int {
        let text = Array(String(repeating: unit, count: bytes / unit.utf8.count).utf8)
        var work = 0
        let masked = SecretMasker.masked(text.span, work: &work) ?? text
        #expect(masked.count <= text.count * 2)
        return work
    }
}

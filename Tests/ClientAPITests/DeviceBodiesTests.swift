import HTTPModel
import Testing

@testable import ClientAPI

@Suite("Bodies of devices")
struct DeviceBodiesTests {
    private func name(_ name: String) throws(APIError) -> String? {
        try RequestObject(Array(#"{"name":"\#(name)"}"#.utf8)).optionalText("name", atMost: 100)
    }

    @Test("a text may be as long as it is said to")
    func longest() throws {
        let longest = String(repeating: "ä", count: 100)
        #expect(try name(longest) == longest)
        #expect(throws: APIError.self) { try name(longest + "b") }
    }

    @Test("marks on one letter count, each of them")
    func marks() {
        #expect(throws: APIError.self) { try name("a" + String(repeating: "\u{0301}", count: 100_000)) }
    }
}

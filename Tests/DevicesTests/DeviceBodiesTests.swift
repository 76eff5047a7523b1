import API
import HTTPModel
import Testing

@testable import Devices

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

@Suite("What a pairing is to give")
struct PairingWishTests {
    private func wish(_ body: String) throws(APIError) -> PairingWish { try PairingWish(Array(body.utf8)) }

    @Test("unless told: read and respond, on all machines", arguments: ["", "{}", #"{"capabilities":null}"#])
    func unlessTold(body: String) throws {
        let wish = try wish(body)
        #expect(wish.capabilities == [.read, .respond] && wish.machines == nil)
    }

    @Test("what is said counts")
    func said() throws {
        #expect(try wish(#"{"capabilities":["read"]}"#).capabilities == [.read])
        #expect(try wish(#"{"machines":["mac"]}"#).machines == ["mac"])
        #expect(try wish(#"{"capabilities":["read","administer"]}"#).capabilities == [.read, .administer])
    }

    @Test(
        "nothing else is taken",
        arguments: [
            "[]", #"{"capabilities":[]}"#, #"{"capabilities":["respond"]}"#, #"{"capabilities":["read","control"]}"#,
            #"{"capabilities":["read","post"]}"#, #"{"capabilities":["read","fly"]}"#, #"{"capabilities":"read"}"#,
            #"{"capabilities":["read"],"machines":["mac"]}"#, #"{"machines":[]}"#, #"{"machines":[3]}"#,
        ]
    )
    func refused(body: String) {
        #expect(throws: APIError.self) { try wish(body) }
    }
}

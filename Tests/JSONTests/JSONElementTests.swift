import Testing

@testable import JSON

@Suite("JSONElement")
struct JSONElementTests {
    private let json =
        #"{"s":"text","i":-5,"u":18446744073709551615,"d":2.5,"w":3.0,"t":true,"f":false,"n":null,"#
        + #""a":[1,[2],{"x":3}],"o":{"s":"inner","s":"second"},"last":"end"}"#

    @Test("lookup finds members behind nested values, the last of a repeated name")
    func lookup() throws {
        try JSONParser().withDocument(Array(json.utf8)) { root in
            #expect(root["s"]?.string == "text")
            #expect(root["last"]?.equals("end") == true)
            #expect(root["last"]?.equals("ende") == false)
            #expect(root["o"]?["s"]?.string == "second")
            #expect(root["missing"] == nil)
            #expect(root["a"]?["x"] == nil)
            #expect(root["s"]?["x"] == nil)
        }
    }

    @Test("values are read by their kind only")
    func kinds() throws {
        try JSONParser().withDocument(Array(json.utf8)) { root in
            #expect(root["i"]?.integer == -5)
            #expect(root["u"]?.integer == nil)
            #expect(root["u"]?.double == 18446744073709551616)
            #expect(root["w"]?.integer == 3)
            #expect(root["d"]?.integer == nil)
            #expect(root["d"]?.double == 2.5)
            #expect(root["t"]?.bool == true)
            #expect(root["f"]?.bool == false)
            #expect(root["n"]?.kind == .null)
            #expect(root["n"]?.bool == nil)
            #expect(root["i"]?.string == nil)
            #expect(root["s"]?.integer == nil)
            #expect(root["s"]?.utf8Count == 4)
        }
    }

    @Test("iteration visits each element and member once")
    func iteration() throws {
        try JSONParser().withDocument(Array(json.utf8)) { root in
            #expect(
                root.members.compactMap { $0.name.string } == [
                    "s", "i", "u", "d", "w", "t", "f", "n", "a", "o", "last",
                ]
            )
            #expect(root["a"]?.elements.map(\.kind) == [.integer, .array, .object])
            #expect(root["o"]?.members.compactMap { $0.value.string } == ["inner", "second"])
            #expect(Array(root.elements).isEmpty)
            #expect(root["s"]?.members.map(\.name.kind) == [])
        }
    }

    @Test("a copied value equals the document")
    func copiedValue() throws {
        let value = try JSONValue.parse(Array(json.utf8))
        #expect(value["a"] == .array([.integer(1), .array([.integer(2)]), .object([("x", .integer(3))])]))
        #expect(value["u"] == .number(18446744073709551616))
        #expect(value["o"]?["s"]?.string == "second")
    }
}

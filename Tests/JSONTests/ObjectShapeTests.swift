import JSON
import Testing

@Suite("Shapes of objects")
struct ObjectShapeTests {
    private struct Part {
        var text: String

        static let shape = ObjectShape<Part>("Part") { it in it.member("text") { $0.text } }
    }

    private enum Color: String, CaseIterable {
        case red
        case green
    }

    private struct Whole {
        var name = "n\"1"
        var count: Int64 = 7
        var ratio: Double?
        var color = Color.green
        var owner: String?
        var part: Part?
        var parts: [Part] = []

        static let shape = ObjectShape<Whole>("Whole") { it in
            it.member("name") { $0.name }
            it.member("count") { $0.count }
            it.member("ratio") { $0.ratio }
            it.word("color") { $0.color }
            it.constant("kind", "whole")
            it.memberOrNull("owner") { $0.owner }
            it.object("part", Part.shape) { $0.part }
            it.objectOrNull("same", Part.shape) { $0.part }
            it.list("parts", of: Part.shape) { $0.parts }
            it.object("inner") { it in it.member("flag") { $0.count > 0 } }
            it.custom("raw", "{}") { $1.raw("[1]") }
        }
    }

    private func text(_ json: [UInt8]) -> String { String(decoding: json, as: UTF8.self) }

    @Test("members come in their order; what is absent is left out or null, as the shape says")
    func writing() {
        let bare = #"{"name":"n\"1","count":7,"color":"green","kind":"whole","owner":null,"same":null,"parts":[],"#
        #expect(text(Whole.shape.json(Whole())) == bare + #""inner":{"flag":true},"raw":[1]}"#)
        let part = Part(text: "p")
        let full = Whole(ratio: 0.5, owner: "o", part: part, parts: [part, part])
        #expect(
            text(Whole.shape.json(full)) == #"{"name":"n\"1","count":7,"ratio":0.5,"color":"green","kind":"whole","#
                + #""owner":"o","part":{"text":"p"},"same":{"text":"p"},"parts":[{"text":"p"},{"text":"p"}],"#
                + #""inner":{"flag":true},"raw":[1]}"#
        )
    }

    @Test("the schema says of each member what the encoder does, and refers to shapes with a name")
    func schema() throws {
        #expect(Whole.shape.schema == SchemaName(stringLiteral: "Whole").reference)
        let definitions = JSONSchema.once(Whole.shape.definitions)
        #expect(definitions.map(\.0) == ["Part", "Whole"])
        let part = SchemaName(stringLiteral: "Part").reference
        #expect(
            definitions[1].1 == #"{"type":"object","required":["name","count","color","kind","owner","same","parts","#
                + #""inner","raw"],"properties":{"name":{"type":"string"},"count":{"type":"integer","minimum":0},"#
                + #""ratio":{"type":"number"},"color":{"type":"string","enum":["red","green"]},"#
                + #""kind":{"type":"string","enum":["whole"]},"owner":{"type":["string","null"]},"part":\#(part),"#
                + #""same":{"anyOf":[\#(part),{"type":"null"}]},"parts":{"type":"array","items":\#(part)},"#
                + #""inner":{"type":"object","required":["flag"],"properties":{"flag":{"type":"boolean"}}},"raw":{}}}"#
        )
        #expect(throws: Never.self) { try JSONValue.parse([UInt8](definitions[1].1.utf8)) }
    }

    @Test("a shape that extends another has its members first, and its schema beside its own")
    func extending() {
        let shape = ObjectShape<(Part, Int)>("More", extending: Part.shape, { $0.0 }) { it in it.member("n") { $0.1 } }
        #expect(text(shape.json((Part(text: "p"), 2))) == #"{"text":"p","n":2}"#)
        #expect(shape.definitions.map(\.0) == ["Part", "More"])
        let own = #"{"type":"object","required":["n"],"properties":{"n":{"type":"integer","minimum":0}}}"#
        #expect(shape.definitions[1].1 == #"{"allOf":[\#(SchemaName(stringLiteral: "Part").reference),\#(own)]}"#)
    }
}

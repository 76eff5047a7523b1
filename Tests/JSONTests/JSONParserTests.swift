import Testing

@testable import JSON

@Suite("JSONParser")
struct JSONParserTests {
    private func text(_ json: String) throws -> String {
        try JSONParser().withDocument(Array(json.utf8)) { element in
            var writer = JSONWriter()
            element.write(to: &writer)
            return String(decoding: writer.bytes, as: UTF8.self)
        }
    }

    @Test(
        "a value is written again as it was read",
        arguments: [
            "{}", "[]", "null", "true", "-0.5", "\"\"", "[1,[2,{\"a\":[]}],{}]", "{\"a\":{\"b\":null},\"c\":[false]}",
            "18446744073709551615", "-9223372036854775808", "{\"\":1,\"a\":2,\"a\":3}", "\"\\\"\\\\\\n\\u0001é😀\"",
        ]
    )
    func roundTrip(json: String) throws {
        #expect(try text(json) == json)
    }

    @Test(
        "numbers beyond 64 bits are accepted",
        arguments: [
            ("123456789012345678901234", "1.2345678901234569e+23"), ("[1e999,-1e999]", "[\"1e999\",\"-1e999\"]"),
            ("{\"a\":\"1e999\",\"b\":1e999}", "{\"a\":\"1e999\",\"b\":\"1e999\"}"),
            ("[18446744073709551616,18446744073709551615]", "[1.8446744073709552e+19,18446744073709551615]"),
            ("[\"\\\"1e999\",1e-999]", "[\"\\\"1e999\",0.0]"),
            (String(repeating: "9", count: 400), "\"" + String(repeating: "9", count: 400) + "\""),
        ]
    )
    func largeNumbers(json: String, expected: String) throws {
        #expect(try text(json) == expected)
    }

    @Test(
        "faults are typed",
        arguments: [
            ("", JSONError.empty), (" \n", .empty), ("{", .malformed), ("{}{}", .malformed), ("[1] x", .malformed),
            ("{\"a\" 1}", .malformed), ("nul", .malformed), ("[1.]", .badNumber), ("[01]", .badNumber),
            ("[1e999, 1.]", .badNumber), ("[\"\\x\"]", .badString), ("\"a\nb\"", .malformed), ("\"a", .malformed),
        ]
    )
    func faults(json: String, error: JSONError) {
        #expect(throws: error) { try self.text(json) }
    }

    @Test("a byte order mark is skipped, a second one is not")
    func byteOrderMark() throws {
        #expect(try text("\u{FEFF}[1]") == "[1]")
        #expect(throws: JSONError.malformed) { try self.text("\u{FEFF}\u{FEFF}[1]") }
    }

    @Test("depth is counted in levels")
    func depth() throws {
        func nested(_ levels: Int) -> [UInt8] {
            Array((String(repeating: "[", count: levels) + String(repeating: "]", count: levels)).utf8)
        }
        #expect(throws: Never.self) { try JSONValue.parse(nested(64)) }
        #expect(throws: JSONError.tooDeep(limit: 64)) { try JSONValue.parse(nested(65)) }
        #expect(throws: JSONError.tooDeep(limit: 64)) { try JSONValue.parse(nested(1_000_000)) }
        #expect(throws: JSONError.self) { try JSONValue.parse([UInt8](repeating: UInt8(ascii: "["), count: 1_000_000)) }
    }

    @Test("a parser reads again after an error and after a large document")
    func reuse() throws {
        let parser = JSONParser()
        let large = "[\"" + String(repeating: "x", count: 2_000_000) + "\"]"
        for _ in 0..<3 {
            #expect(throws: JSONError.malformed) { try parser.withDocument(Array("[".utf8)) { _ in } }
            #expect(try parser.withDocument(Array(large.utf8)) { Array($0.elements).first?.utf8Count } == 2_000_000)
            #expect(try parser.withDocument(Array("[7]".utf8)[...]) { Array($0.elements).first?.integer } == 7)
        }
    }

    @Test("a parser refuses to be used inside its own document")
    func nestedUse() throws {
        let parser = JSONParser()
        let inner = try parser.withDocument(Array("[1]".utf8)) { outer in
            let error = #expect(throws: JSONError.self) { try parser.withDocument(Array("[2]".utf8)) { _ in } }
            return (error, Array(outer.elements).first?.integer)
        }
        #expect(inner.0 == .parserInUse)
        #expect(inner.1 == 1)
    }

    @Test("invalid UTF-8, NUL and unpaired surrogates are read as U+FFFD")
    func repairs() throws {
        let bytes: [UInt8] = Array("[\"a".utf8) + [0xFF, 0xED, 0xA0, 0x80] + Array("\\u0000\\ud83d\\\\u0000\"]".utf8)
        let string = try JSONParser().withDocument(bytes) { Array($0.elements).first?.string }
        let result = try #require(string)
        #expect(result.hasPrefix("a\u{FFFD}"))
        #expect(result.hasSuffix("\u{FFFD}\u{FFFD}\\u0000"))
        #expect(!result.unicodeScalars.contains("\0"))
    }
}

import JSON
import Testing

@Suite("Line separators")
struct LineSeparatorTests {
    private static let separators = ["\u{85}", "\u{2028}", "\u{2029}"]

    private func written(_ write: (inout JSONWriter) -> Void) -> String {
        var writer = JSONWriter()
        write(&writer)
        return String(decoding: writer.bytes, as: UTF8.self)
    }

    @Test("in a string they are escaped, wherever they stand")
    func strings() {
        #expect(written { $0.string("\u{2028}a\u{2029}\u{85}") } == #""\u2028a\u2029\u0085""#)
        #expect(written { $0.key(named: "a\u{85}") } == #""a\u0085":"#)
        #expect(written { $0.value(.object([("\u{2029}", .string("\u{2028}\n"))])) } == #"{"\u2029":"\u2028\n"}"#)
    }

    @Test("in JSON that is copied they are escaped too")
    func copies() {
        let json = "{\"a\":\"x\u{2028}y\u{85}\",\"b\":[\"\u{2029}\"]}"
        let escaped = #"{"a":"x\u2028y\u0085","b":["\u2029"]}"#
        #expect(written { $0.raw(json) } == escaped)
        #expect(written { $0.raw(Array(json.utf8)) } == escaped)
        #expect(JSONEscaping.withoutLineSeparators(Array(json.utf8)) == Array(escaped.utf8))
    }

    @Test(
        "characters that begin with the same bytes stay as they are",
        arguments: ["\u{84}", "\u{86}", "\u{A0}", "é", "\u{2027}", "\u{202A}", "\u{2068}", "…", "€", "😀"]
    )
    func neighbours(text: String) {
        #expect(written { $0.string(text) } == "\"\(text)\"")
        #expect(written { $0.raw("\"\(text)\"") } == "\"\(text)\"")
    }

    @Test("they are found at every distance from the start, and nothing else is changed", arguments: [0, 1, 2])
    func distances(kind: Int) {
        for before in 0...140 {
            let (start, end) = (String(repeating: "x", count: before), String(repeating: "é", count: 70))
            let escape = [#"\u0085"#, #"\u2028"#, #"\u2029"#][kind]
            let text = start + LineSeparatorTests.separators[kind] + end
            #expect(written { $0.string(text) } == "\"" + start + escape + end + "\"")
            #expect(written { $0.raw("\"" + text + "\"") } == "\"" + start + escape + end + "\"")
            #expect(written { $0.string(start + "\"\n" + end) } == "\"" + start + #"\"\n"# + end + "\"")
        }
    }

    @Test("bytes that end within a character are copied")
    func cutShort() {
        for bytes: [UInt8] in [[0xE2], [0xE2, 0x80], [0xC2], [0x41, 0xE2, 0x80]] {
            #expect(JSONEscaping.withoutLineSeparators(bytes) == bytes)
        }
    }

    @Test("what is escaped means the same")
    func meaning() throws {
        for separator in LineSeparatorTests.separators {
            let json = JSONValue.array([.string("a\(separator)b")])
            let text = written { $0.value(json) }
            #expect(!text.unicodeScalars.contains { $0.value > 0x7E })
            #expect(try JSONValue.parse(Array(text.utf8)) == json)
        }
    }
}

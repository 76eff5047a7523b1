import Testing

@testable import Masking

@Suite("SummaryLine")
struct SummaryLineTests {
    private func line(_ text: String, firstLineOnly: Bool = false) -> String {
        var line = SummaryLine()
        let bytes = Array(text.utf8)
        _ = line.append(bytes.span, firstLineOnly: firstLineOnly)
        return line.finished()
    }

    @Test(
        "a text becomes one clean line",
        arguments: [
            ("  a \t b\n\nc  ", "a b c"), ("\u{1B}[31mred\u{1B}[0m", "red"), ("a\u{0}b\u{7}\u{7F}\u{85}c", "abc"),
            ("a\u{202E}b\u{2066}c\u{FEFF}", "abc"), ("👨‍👩‍👧 é\u{A0}x", "👨‍👩‍👧 é\u{A0}x"),
            ("a\u{2028}b", "ab"), ("", ""),
            ("\u{1B}[", ""),
            ("C:\\Users\\x", "C:\\Users\\x"), ("漢字 テスト", "漢字 テスト"),
        ]
    )
    func clean(text: String, expected: String) {
        #expect(line(text) == expected)
    }

    @Test("the first line is the first with something in it")
    func firstLine() {
        #expect(line("\n \r\n  first  line \nsecond", firstLineOnly: true) == "first line")
    }

    @Test("a long line ends at a character with an ellipsis", arguments: ["x", "ä", "😀", "👨‍👩‍👧"])
    func long(unit: String) {
        let result = line(String(repeating: unit, count: 1000))
        #expect(result.unicodeScalars.count <= 200)
        #expect(result.unicodeScalars.count > 190)
        #expect(result.hasSuffix(unit + "…"))
        #expect(line(String(repeating: "x", count: 200)).hasSuffix("x"))
    }

    @Test("a secret at the cut is masked whole")
    func secretAtCut() {
        let text = String(repeating: "x", count: 195) + " password=" + String(repeating: "q", count: 50)
        #expect(!line(text).contains("qq"))
    }
}

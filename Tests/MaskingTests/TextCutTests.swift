import Testing

@testable import Masking

@Suite("TextCut")
struct TextCutTests {
    private func cut(_ text: String, _ limit: Int) -> String {
        let bytes = Array(text.utf8)
        return TextCut.end(of: bytes.span, limit: limit).map { String(decoding: bytes[..<$0], as: UTF8.self) } ?? text
    }

    @Test(
        "characters stay whole",
        arguments: [
            ("abcdef", 3, "abc"), ("abc", 3, "abc"), ("", 0, ""), ("abc", 0, ""), ("äöü", 2, "äö"), ("a😀b", 2, "a😀"),
            ("ae\u{301}b", 2, "a"), ("ae\u{301}b", 3, "ae\u{301}"), ("a\r\nb", 2, "a"),
            ("x👨‍👩‍👧y", 3, "x"), ("x👨‍👩‍👧y", 6, "x👨‍👩‍👧"), ("🇩🇪🇫🇷", 3, "🇩🇪"),
        ]
    )
    func boundaries(text: String, limit: Int, expected: String) {
        #expect(cut(text, limit) == expected)
    }

    @Test("a cluster larger than the window is broken between scalars")
    func hugeCluster() {
        let text = "a" + String(repeating: "\u{301}", count: 5000)
        let result = cut(text, 1000)
        #expect(result.unicodeScalars.count == 1000)
        #expect(!result.unicodeScalars.contains("\u{FFFD}"))
    }

    @Test("an excerpt says how much is gone")
    func excerpt() {
        let bytes = Array((String(repeating: "ä", count: 12)).utf8)
        let excerpt = TextCut.excerpt(of: bytes.span, limit: 10)
        #expect(excerpt.map { String(decoding: $0, as: UTF8.self) } == "ääääääääää… [+2 chars]")
        #expect(TextCut.excerpt(of: bytes.span, limit: 12) == nil)
    }
}

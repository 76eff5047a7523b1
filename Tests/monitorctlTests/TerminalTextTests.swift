import Testing

@testable import monitorctl

struct TerminalTextTests {
    @Test func controlSequencesAreDefused() {
        #expect(TerminalText.printable("a\u{1B}[2Jb\r\nc\u{9B}1m\u{202E}d") == "a [2Jb  c 1md")
    }

    @Test func widths() {
        #expect(TerminalText.width("abc") == 3)
        #expect(TerminalText.width("日本") == 4)
        #expect(TerminalText.width("e\u{301}") == 1)
        #expect(TerminalText.width("👩‍💻") == 2)
    }

    @Test func cutsWithoutHalvingAWideCharacter() {
        #expect(TerminalText.cut("abcdef", to: 6) == "abcdef")
        #expect(TerminalText.cut("abcdef", to: 4) == "abc…")
        #expect(TerminalText.cut("日本語", to: 4) == "日…")
        #expect(TerminalText.cut("abc", to: 0) == "")
    }
}

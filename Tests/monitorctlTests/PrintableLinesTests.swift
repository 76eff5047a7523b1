import Testing

@testable import monitorctl

@Suite("Texts of several lines")
struct PrintableLinesTests {
    @Test("what controls a terminal is left out")
    func controls() {
        var scalars = Array(UInt32(0)...0x1F) + Array(UInt32(0x7F)...0x9F) + [0x061C, 0x200E, 0x200F]
        scalars += Array(UInt32(0x2028)...0x202E) + Array(UInt32(0x2066)...0x2069)
        for value in scalars where value != 9 && value != 10 {
            guard let scalar = Unicode.Scalar(value) else { continue }
            #expect(TerminalText.printableLines("a\(Character(scalar))b") == "ab")
        }
    }

    @Test("all else stays")
    func kept() {
        let text = "# é 日本 👩‍💻 🏴󠁧󠁢󠁥󠁮󠁧󠁿 می‌خواهم\n\tx\u{AD}y\n"
        #expect(TerminalText.printableLines(text) == text)
    }
}

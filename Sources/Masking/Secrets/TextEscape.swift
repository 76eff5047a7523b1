/// An escape that a program wrote in place of a byte.
struct TextEscape {
    var length = 1
    /// The escape stands for `=` or `:`.
    var isSeparator = false

    /// `index` is the position of a percent sign or a backslash. Consecutive backslashes count as one escape, because
    /// text that was quoted several times has several.
    init(in text: Span<UInt8>, at index: Int) {
        if text[index] == UInt8(ascii: "%") {
            var start = index + 1
            // `%253D`: encoded twice.
            while text.has("2", "5", at: start), start < index + 8 { start += 2 }
            guard text.byte(at: start).isHexDigit, text.byte(at: start + 1).isHexDigit else { return }
            length = start + 2 - index
            let second = text[start + 1] | 0x20
            isSeparator =
                text[start] == UInt8(ascii: "3") && (second == UInt8(ascii: "d") || second == UInt8(ascii: "a"))
            return
        }
        let end = text.endOfRun(from: index) { $0 == UInt8(ascii: "\\") }
        length = end - index
        switch text.byte(at: end) {
        case UInt8(ascii: "n"), UInt8(ascii: "r"), UInt8(ascii: "t"), UInt8(ascii: "b"), UInt8(ascii: "f"): length += 1
        case UInt8(ascii: "u"): readUnicode(in: text, at: end)
        case UInt8(ascii: "x") where text.has("x1b[", at: end) || text.has("x1B[", at: end):
            length += 3 + TextEscape.colour(in: text, at: end + 3)
        case UInt8(ascii: "0") where text.has("033[", at: end): length += 3 + TextEscape.colour(in: text, at: end + 3)
        case UInt8(ascii: "e") where text.has("e[", at: end): length += 1 + TextEscape.colour(in: text, at: end + 1)
        default: return
        }
    }

    private mutating func readUnicode(in text: Span<UInt8>, at end: Int) {
        for offset in 1...4 where !text.byte(at: end + offset).isHexDigit { return }
        length += 5
        if text.has("u00", at: end) {
            let third = text[end + 3]
            let fourth = text[end + 4] | 0x20
            isSeparator =
                third == UInt8(ascii: "3") && (fourth == UInt8(ascii: "d") || fourth == UInt8(ascii: "a"))
            if third == UInt8(ascii: "1"), fourth == UInt8(ascii: "b") {
                length += TextEscape.colour(in: text, at: end + 5)
            }
        }
    }

    /// The length of `ESC [`, parameters and a final byte (ECMA-48 section 5.4), or of a colour sequence without its
    /// ESC; 0 if there is none.
    static func colour(in text: Span<UInt8>, at index: Int) -> Int {
        let hasEscape = text.byte(at: index) == 0x1B
        let start = hasEscape ? index + 1 : index
        guard text.byte(at: start) == UInt8(ascii: "[") else { return 0 }
        var end = start + 1
        while end < start + 24, text.byte(at: end).isASCIIDigit || text.byte(at: end) == UInt8(ascii: ";") { end += 1 }
        let final = text.byte(at: end)
        guard hasEscape ? final.isASCIILetter : final == UInt8(ascii: "m") && end > start + 1 else { return 0 }
        return end + 1 - index
    }
}

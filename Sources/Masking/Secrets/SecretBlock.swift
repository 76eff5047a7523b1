/// A YAML block: `|` or `>` and indented lines (YAML 1.2 section 8.1). Also found inside nested JSON, where a line
/// break is `\n`.
enum SecretBlock {
    /// Returns `nil` if no block begins at `index`.
    static func range(in text: Span<UInt8>, at index: Int, _ scan: inout SecretScan) -> Range<Int>? {
        guard text.byte(at: index) == UInt8(ascii: "|") || text.byte(at: index) == UInt8(ascii: ">") else { return nil }
        var lineEnd = index + 1
        while lineEnd < index + 8,
            text.byte(at: lineEnd).isASCIIDigit || text.byte(at: lineEnd).isBlank
                || text.byte(at: lineEnd) == UInt8(ascii: "-") || text.byte(at: lineEnd) == UInt8(ascii: "+")
        {
            lineEnd += 1
        }
        let length = breakLength(in: text, at: lineEnd)
        guard length > 0 else { return nil }
        let start = text.endOfRun(from: lineEnd + length, \.isBlank)
        let indent = start - lineEnd - length
        guard indent > 0, start < text.count, !SecretShape.isPrivateKey(in: text, at: start) else { return nil }
        let end = end(in: text, from: start, indent: indent, isEscaped: text[lineEnd] == UInt8(ascii: "\\"))
        scan.work += end - index
        return start < end ? start..<end : nil
    }

    private static func end(in text: Span<UInt8>, from start: Int, indent: Int, isEscaped: Bool) -> Int {
        var index = start
        while index < text.count {
            let length = breakLength(in: text, at: index)
            if length > 0 {
                let next = text.endOfRun(from: index + length, \.isBlank)
                let isEmptyLine = breakLength(in: text, at: next) > 0
                if !isEmptyLine, next - index - length < indent { return index }
                index = max(next, index + length)
            } else if isEscaped, text[index] == UInt8(ascii: "\"") {
                return index
            } else {
                index += 1
            }
        }
        return index
    }

    /// Returns 0 if there is no line break.
    private static func breakLength(in text: Span<UInt8>, at index: Int) -> Int {
        switch text.byte(at: index) {
        case 0x0A: return 1
        case 0x0D where text.byte(at: index + 1) == 0x0A: return 2
        case UInt8(ascii: "\\"):
            let end = text.endOfRun(from: index) { $0 == UInt8(ascii: "\\") }
            return text.byte(at: end) == UInt8(ascii: "n") ? end + 1 - index : 0
        default: return 0
        }
    }
}

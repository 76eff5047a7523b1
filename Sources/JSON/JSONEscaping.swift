/// JSON string escaping (RFC 8259 section 7).
public enum JSONEscaping {
    /// The number of bytes that are checked together, because most texts have long runs without anything to escape.
    static let chunkBytes = 64

    private static let hexDigits = [UInt8]("0123456789abcdef".utf8)

    /// `text` must be UTF-8. Escapes only the quotation mark, the backslash, control characters and the line
    /// separators U+0085, U+2028 and U+2029.
    public static func appendQuoted(_ text: Span<UInt8>, to bytes: inout [UInt8]) {
        bytes.append(UInt8(ascii: "\""))
        var copied = 0
        var next = 0
        while next < text.count {
            let chunk = next..<min(next + chunkBytes, text.count)
            next = chunk.upperBound
            guard mayNeedEscape(in: text.extracting(chunk)) else { continue }
            for index in chunk where mayNeedEscape(text[index]) {
                let separator = LineSeparators.length(in: text, at: index)
                guard separator > 0 || needsEscape(text[index]) else { continue }
                bytes.append(copying: text.extracting(copied..<index))
                if separator > 0 {
                    bytes.append(contentsOf: LineSeparators.escape(in: text, at: index).utf8)
                } else {
                    appendEscape(of: text[index], to: &bytes)
                }
                copied = index + max(separator, 1)
            }
        }
        bytes.append(copying: text.extracting(copied..<text.count))
        bytes.append(UInt8(ascii: "\""))
    }

    /// Returns the JSON text with its line separators escaped.
    public static func withoutLineSeparators(_ json: [UInt8]) -> [UInt8] {
        guard !LineSeparators.isASCII(json.span) else { return json }
        var escaped: [UInt8] = []
        escaped.reserveCapacity(json.count)
        LineSeparators.append(escaping: json.span, to: &escaped)
        return escaped
    }

    private static func mayNeedEscape(_ byte: UInt8) -> Bool {
        needsEscape(byte) || LineSeparators.mayStart(with: byte)
    }

    /// Has no branch, so that the compiler vectorizes it.
    private static func mayNeedEscape(in chunk: Span<UInt8>) -> Bool {
        var found: UInt8 = 0
        for index in chunk.indices {
            let byte = chunk[index]
            found |= (byte < 0x20 ? 1 : 0) | (byte == UInt8(ascii: "\"") ? 1 : 0)
            found |= (byte == UInt8(ascii: "\\") ? 1 : 0) | (LineSeparators.mayStart(with: byte) ? 1 : 0)
        }
        return found != 0
    }

    private static func needsEscape(_ byte: UInt8) -> Bool {
        byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\")
    }

    private static func appendEscape(of byte: UInt8, to bytes: inout [UInt8]) {
        bytes.append(UInt8(ascii: "\\"))
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"): bytes.append(byte)
        case 0x08: bytes.append(UInt8(ascii: "b"))
        case 0x09: bytes.append(UInt8(ascii: "t"))
        case 0x0A: bytes.append(UInt8(ascii: "n"))
        case 0x0C: bytes.append(UInt8(ascii: "f"))
        case 0x0D: bytes.append(UInt8(ascii: "r"))
        default:
            bytes.append(contentsOf: "u00".utf8)
            bytes.append(hexDigits[Int(byte >> 4)])
            bytes.append(hexDigits[Int(byte & 15)])
        }
    }
}

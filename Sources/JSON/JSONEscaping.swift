/// JSON string escaping (RFC 8259 section 7).
public enum JSONEscaping {
    private static let hexDigits = [UInt8]("0123456789abcdef".utf8)

    /// `text` must be UTF-8. Only the quotation mark, the backslash and control characters are escaped.
    public static func appendQuoted(_ text: Span<UInt8>, to bytes: inout [UInt8]) {
        bytes.append(UInt8(ascii: "\""))
        var copied = 0
        for index in text.indices where needsEscape(text[index]) {
            bytes.append(copying: text.extracting(copied..<index))
            appendEscape(of: text[index], to: &bytes)
            copied = index + 1
        }
        bytes.append(copying: text.extracting(copied..<text.count))
        bytes.append(UInt8(ascii: "\""))
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

/// Replaces invalid UTF-8, the escape `\u0000` and unpaired surrogate escapes by U+FFFD. Real hook bodies contain
/// them, but neither simdjson nor PostgreSQL's `jsonb` accepts them. All other bytes stay unchanged.
public enum JSONSanitizer {
    private static let replacement = [UInt8]("\\ufffd".utf8)

    /// Accepts any bytes, even if they are not JSON. Takes linear time.
    public static func sanitized(_ bytes: [UInt8]) -> [UInt8] {
        repairingEscapes(in: Array(String(decoding: bytes, as: UTF8.self).utf8))
    }

    private static func repairingEscapes(in bytes: [UInt8]) -> [UInt8] {
        var output: [UInt8] = []
        output.reserveCapacity(bytes.count)
        var copied = 0
        var index = 0
        while index < bytes.count {
            guard bytes[index] == UInt8(ascii: "\\") else {
                index += 1
                continue
            }
            let length = escapeLength(in: bytes, at: index)
            if length == nil {
                output.append(contentsOf: bytes[copied..<index])
                output.append(contentsOf: replacement)
                copied = index + 6
            }
            index += length ?? 6
        }
        guard copied > 0 else { return bytes }
        output.append(contentsOf: bytes[copied...])
        return output
    }

    /// The length in bytes of the escape that starts at `start`, or `nil` if its six bytes must be replaced.
    private static func escapeLength(in bytes: [UInt8], at start: Int) -> Int? {
        guard let unit = codeUnit(in: bytes, at: start) else { return 2 }
        switch unit {
        case 0, 0xDC00...0xDFFF: return nil
        case 0xD800...0xDBFF:
            guard let next = codeUnit(in: bytes, at: start + 6), (0xDC00...0xDFFF).contains(next) else { return nil }
            return 12
        default: return 6
        }
    }

    /// The value of the four digits of a `\u` escape at `start`, or `nil` if there is none.
    private static func codeUnit(in bytes: [UInt8], at start: Int) -> UInt16? {
        guard start + 6 <= bytes.count, bytes[start] == UInt8(ascii: "\\"), bytes[start + 1] == UInt8(ascii: "u")
        else { return nil }
        var value: UInt16 = 0
        for byte in bytes[(start + 2)..<(start + 6)] {
            guard let digit = hexDigit(byte) else { return nil }
            value = value << 4 | digit
        }
        return value
    }

    private static func hexDigit(_ byte: UInt8) -> UInt16? {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt16(byte - UInt8(ascii: "0"))
        case UInt8(ascii: "a")...UInt8(ascii: "f"): UInt16(byte - UInt8(ascii: "a") + 10)
        case UInt8(ascii: "A")...UInt8(ascii: "F"): UInt16(byte - UInt8(ascii: "A") + 10)
        default: nil
        }
    }
}

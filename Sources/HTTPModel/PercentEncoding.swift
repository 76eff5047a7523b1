/// Percent-encoding (RFC 3986 section 2.1).
public enum PercentEncoding {
    /// Bytes that are not UTF-8 after decoding become U+FFFD. A `%` that does not begin an escape stays unchanged.
    public static func decode(_ text: some StringProtocol, plusIsSpace: Bool = false) -> String {
        guard text.utf8.contains(where: { $0 == UInt8(ascii: "%") || $0 == UInt8(ascii: "+") }) else {
            return String(text)
        }
        var bytes: [UInt8] = []
        let encoded = Array(text.utf8)[...]
        var index = encoded.startIndex
        while index < encoded.endIndex {
            if let byte = escaped(encoded, at: index) {
                bytes.append(byte)
                index += 3
            } else {
                let byte = encoded[index]
                bytes.append(plusIsSpace && byte == UInt8(ascii: "+") ? UInt8(ascii: " ") : byte)
                index += 1
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Encodes everything except the unreserved characters.
    public static func encode(_ text: String) -> String {
        var encoded: [UInt8] = []
        for byte in text.utf8 {
            if isUnreserved(byte) { encoded.append(byte) } else { appendEscaped(byte, to: &encoded) }
        }
        return String(decoding: encoded, as: UTF8.self)
    }

    private static func isUnreserved(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "z"),
            UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
            UInt8(ascii: "~"):
            true
        default: false
        }
    }

    private static func hexDigit(_ byte: UInt8) -> UInt8? {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
        default: nil
        }
    }

    /// Normalizes a path (RFC 3986 section 6.2.2): decodes unnecessary escapes, writes the others in upper case, and
    /// escapes all other characters that need it. An escaped slash stays escaped. Returns `nil` if a `%` does not begin
    /// an escape.
    public static func normalizedPath(_ bytes: ArraySlice<UInt8>) -> String? {
        guard !bytes.allSatisfy(isPathByte) else { return String(decoding: bytes, as: UTF8.self) }
        var out: [UInt8] = []
        out.reserveCapacity(bytes.count + 16)
        var index = bytes.startIndex
        while index < bytes.endIndex {
            let isEscape = bytes[index] == UInt8(ascii: "%")
            guard let byte = isEscape ? escaped(bytes, at: index) : bytes[index] else { return nil }
            let isPlain = isPathByte(byte) && !(isEscape && byte == UInt8(ascii: "/"))
            if isPlain { out.append(byte) } else { appendEscaped(byte, to: &out) }
            index += isEscape ? 3 : 1
        }
        return String(decoding: out, as: UTF8.self)
    }

    /// Whether the bytes contain `%00`, which the database cannot store in text, or `%0A` or `%0D`, which end lines in
    /// headers and logs.
    public static func holdsControl(_ bytes: ArraySlice<UInt8>) -> Bool {
        var rest = bytes
        while let percent = rest.firstIndex(of: UInt8(ascii: "%")) {
            if let byte = escaped(bytes, at: percent), byte == 0 || byte == 10 || byte == 13 {
                return true
            }
            rest = rest[(percent + 1)...]
        }
        return false
    }

    /// The byte that `%XX` at this index represents.
    private static func escaped(_ bytes: ArraySlice<UInt8>, at index: Int) -> UInt8? {
        guard bytes[index] == UInt8(ascii: "%"), index + 2 < bytes.endIndex, let high = hexDigit(bytes[index + 1]),
            let low = hexDigit(bytes[index + 2])
        else { return nil }
        return high << 4 | low
    }

    private static func appendEscaped(_ byte: UInt8, to out: inout [UInt8]) {
        let digits = Array("0123456789ABCDEF".utf8)
        out += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
    }

    /// The characters of RFC 3986 section 3.3, except `&` and `+`.
    private static func isPathByte(_ byte: UInt8) -> Bool {
        switch byte {
        case 48...57, 65...90, 97...122: true
        default: "/-._~:@!$'()*,;=".utf8.contains(byte)
        }
    }
}

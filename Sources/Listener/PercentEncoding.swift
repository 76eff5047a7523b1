/// Gives each path one spelling (RFC 3986 section 6.2.2).
enum PercentEncoding {
    /// Escapes that are not needed are undone, all others are written in capitals, and what must be escaped is. nil: a
    /// `%` begins no escape.
    static func path(_ bytes: ArraySlice<UInt8>) -> String? {
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

    /// `%00`, which no text of the database can hold, `%0A` and `%0D`, which end lines in headers and logs.
    static func holdsControl(_ bytes: ArraySlice<UInt8>) -> Bool {
        var rest = bytes
        while let percent = rest.firstIndex(of: UInt8(ascii: "%")) {
            if let byte = escaped(bytes, at: percent), byte == 0 || byte == .lineFeed || byte == .carriageReturn {
                return true
            }
            rest = rest[(percent + 1)...]
        }
        return false
    }

    /// The byte that `%XX` at this place stands for.
    private static func escaped(_ bytes: ArraySlice<UInt8>, at index: Int) -> UInt8? {
        guard bytes[index] == UInt8(ascii: "%"), index + 2 < bytes.endIndex, let high = digit(bytes[index + 1]),
            let low = digit(bytes[index + 2])
        else { return nil }
        return high << 4 | low
    }

    private static func digit(_ byte: UInt8) -> UInt8? {
        switch byte {
        case 48...57: byte - 48
        case 65...70: byte - 55
        case 97...102: byte - 87
        default: nil
        }
    }

    private static func appendEscaped(_ byte: UInt8, to out: inout [UInt8]) {
        let digits = Array("0123456789ABCDEF".utf8)
        out += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
    }

    /// RFC 3986 section 3.3, less `&` and `+`.
    private static func isPathByte(_ byte: UInt8) -> Bool {
        switch byte {
        case 48...57, 65...90, 97...122: true
        default: "/-._~:@!$'()*,;=".utf8.contains(byte)
        }
    }
}

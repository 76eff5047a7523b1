/// U+0085, U+2028 and U+2029: JSON allows them raw in a string, but clients that split text at line ends by Unicode's
/// rules (Foundation's `CharacterSet.newlines`, Python's `str.splitlines`) would cut a message there.
enum LineSeparators {
    /// The length in bytes of the separator that starts at `index`, or 0 if there is none. `text` must be UTF-8.
    static func length(in text: Span<UInt8>, at index: Int) -> Int {
        switch text[index] {
        case 0xC2: index + 1 < text.count && text[index + 1] == 0x85 ? 2 : 0
        case 0xE2: index + 2 < text.count && text[index + 1] == 0x80 && text[index + 2] & 0xFE == 0xA8 ? 3 : 0
        default: 0
        }
    }

    /// Whether a separator may start with this byte: 0xC2 and 0xE2.
    static func mayStart(with byte: UInt8) -> Bool { byte & 0xDF == 0xC2 }

    /// The escape of the separator that starts at `index`.
    static func escape(in text: Span<UInt8>, at index: Int) -> String {
        guard text[index] == 0xE2 else { return "\\u0085" }
        return text[index + 2] == 0xA8 ? "\\u2028" : "\\u2029"
    }

    /// Appends JSON text with its separators escaped. They can occur only inside strings.
    static func append(escaping json: Span<UInt8>, to bytes: inout [UInt8]) {
        guard !isASCII(json) else { return bytes.append(copying: json) }
        var copied = 0
        var next = 0
        while next < json.count {
            let chunk = next..<min(next + JSONEscaping.chunkBytes, json.count)
            next = chunk.upperBound
            guard mayStart(in: json.extracting(chunk)) else { continue }
            for index in chunk where mayStart(with: json[index]) {
                let length = length(in: json, at: index)
                guard length > 0 else { continue }
                bytes.append(copying: json.extracting(copied..<index))
                bytes.append(contentsOf: escape(in: json, at: index).utf8)
                copied = index + length
            }
        }
        bytes.append(copying: json.extracting(copied..<json.count))
    }

    /// Has no branch, so that the compiler vectorizes it.
    static func isASCII(_ text: Span<UInt8>) -> Bool {
        var union: UInt8 = 0
        for index in text.indices { union |= text[index] }
        return union < 0x80
    }

    /// Like `isASCII`, without a branch.
    private static func mayStart(in chunk: Span<UInt8>) -> Bool {
        var least = UInt8.max
        for index in chunk.indices { least = min(least, (chunk[index] & 0xDF) ^ 0xC2) }
        return least == 0
    }
}

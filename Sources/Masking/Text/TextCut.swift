internal import JSON

/// Shortens UTF-8 text without breaking a character.
enum TextCut {
    /// Bytes before and after a cut that are searched for a boundary between grapheme clusters.
    private static let window = 128

    static func scalarCount(_ text: Span<UInt8>) -> Int {
        var count = 0
        for index in text.indices where !isContinuation(text[index]) { count += 1 }
        return count
    }

    /// Returns the number of bytes to keep so that only whole grapheme clusters and at most `limit` Unicode scalars
    /// remain, or `nil` if the text fits. A cluster longer than the window is broken between scalars.
    static func end(of text: Span<UInt8>, limit: Int) -> Int? {
        guard text.count > limit else { return nil }
        var cut = 0
        var scalars = 0
        while cut < text.count {
            if !isContinuation(text[cut]) {
                if scalars == limit { return clusterBoundary(in: text, atOrBefore: cut) }
                scalars += 1
            }
            cut += 1
        }
        return nil
    }

    /// Returns `text` cut to `limit` scalars and followed by `… [+N chars]`, or `nil` if it is not longer.
    static func excerpt(of text: Span<UInt8>, limit: Int) -> [UInt8]? {
        guard let end = end(of: text, limit: limit) else { return nil }
        var output: [UInt8] = []
        output.reserveCapacity(end + 24)
        output.append(copying: text.extracting(0..<end))
        output.append(contentsOf: "… [+\(scalarCount(text.extracting(end..<text.count))) chars]".utf8)
        return output
    }

    /// The start of the scalar that contains or begins at `index`.
    static func scalarBoundary(in text: Span<UInt8>, atOrBefore index: Int) -> Int {
        var index = min(index, text.count)
        while index > 0, index < text.count, isContinuation(text[index]) { index -= 1 }
        return index
    }

    static func isContinuation(_ byte: UInt8) -> Bool { byte & 0xC0 == 0x80 }

    private static func clusterBoundary(in text: Span<UInt8>, atOrBefore cut: Int) -> Int {
        guard cut > 0 else { return 0 }
        let isLineEnd = text[cut - 1] == 0x0D && text[cut] == 0x0A
        if text[cut - 1] < 0x80, text[cut] < 0x80, !isLineEnd { return cut }
        let start = scalarBoundary(in: text, atOrBefore: max(0, cut - window))
        let end = scalarBoundary(in: text, atOrBefore: cut + window)
        var bytes: [UInt8] = []
        bytes.append(copying: text.extracting(start..<end))
        var boundary = start
        for character in String(decoding: bytes, as: UTF8.self) {
            let next = boundary + character.utf8.count
            if next > cut { break }
            boundary = next
        }
        return boundary > start ? boundary : cut
    }
}

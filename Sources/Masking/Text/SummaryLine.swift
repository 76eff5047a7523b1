package import JSON

/// Builds one line for people from texts of any length. The line has no line breaks, control or direction characters,
/// terminal escapes or secrets.
package struct SummaryLine {
    /// The maximum length of the line, in Unicode scalars.
    package static let maxLength = 200
    /// Exceeds `maxLength` scalars of four bytes, so that a secret at the cut is recognized as a whole.
    private static let maxBytes = 1100

    /// Initial capacity; enough for most lines.
    private static let usualBytes = 256

    private var bytes: [UInt8] = []

    package init() {}

    package var isEmpty: Bool { bytes.isEmpty }

    package mutating func append(_ text: String) {
        makeRoom()
        bytes.append(contentsOf: text.utf8)
    }

    /// Returns `false` if the string is missing or has nothing to display.
    @discardableResult
    package mutating func append(_ element: JSONElement?, firstLineOnly: Bool = false) -> Bool {
        element?.withUTF8 { append($0, firstLineOnly: firstLineOnly) } ?? false
    }

    /// Appends `separator` and the text. Appends nothing if the text is empty.
    package mutating func append(_ separator: String, _ element: JSONElement?, firstLineOnly: Bool = false) {
        let length = bytes.count
        if !isEmpty { append(separator) }
        if !append(element, firstLineOnly: firstLineOnly) { bytes.removeLast(bytes.count - length) }
    }

    package mutating func append(_ text: Span<UInt8>, firstLineOnly: Bool) -> Bool {
        makeRoom()
        let start = bytes.count
        var needsSpace = false
        var index = 0
        while index < text.count, bytes.count < SummaryLine.maxBytes {
            switch SummaryLine.step(in: text, at: index) {
            case .lineEnd where firstLineOnly && bytes.count > start:
                return true
            case .lineEnd, .space:
                needsSpace = bytes.count > start
                index += 1
            case .skip(let length): index += length
            case .keep(let length):
                if needsSpace { bytes.append(UInt8(ascii: " ")) }
                needsSpace = false
                let end = min(index + length, text.count, index + SummaryLine.maxBytes)
                bytes.append(copying: text.extracting(index..<end))
                index = end
            }
        }
        return bytes.count > start
    }

    package func finished() -> String {
        var masked = SecretMasker.masked(bytes)
        if bytes.count >= SummaryLine.maxBytes {
            // The text was cut, possibly inside a secret, so its last word is dropped.
            let tail = min(masked.reversed().prefix { $0 != UInt8(ascii: " ") }.count, 256)
            let end = TextCut.scalarBoundary(in: masked.span, atOrBefore: masked.count - tail)
            masked.removeLast(masked.count - end)
        }
        guard TextCut.end(of: masked.span, limit: SummaryLine.maxLength) != nil,
            let end = TextCut.end(of: masked.span, limit: SummaryLine.maxLength - 1)
        else { return String(decoding: masked, as: UTF8.self) }
        return String(decoding: masked[..<end], as: UTF8.self) + "…"
    }

    private mutating func makeRoom() {
        if bytes.capacity == 0 { bytes.reserveCapacity(SummaryLine.usualBytes) }
    }

    private enum Step {
        case keep(Int)
        case skip(Int)
        case space
        case lineEnd
    }

    private static func step(in text: Span<UInt8>, at index: Int) -> Step {
        switch text[index] {
        case 0x0A, 0x0D: .lineEnd
        case 0x09, 0x20: .space
        case 0x1B: .skip(escapeSequenceLength(in: text, at: index))
        case 0x00...0x1F, 0x7F: .skip(1)
        case 0x20..<0x80: .keep(text.endOfRun(from: index) { (0x21...0x7E).contains($0) } - index)
        case 0xC2 where index + 1 < text.count && text[index + 1] < 0xA0: .skip(2)
        case 0xE2, 0xEF: isFormatting(in: text, at: index) ? .skip(3) : .keep(3)
        case 0xF0...0xFF: .keep(4)
        case 0xE0...0xEF: .keep(3)
        default: .keep(2)
        }
    }

    /// ECMA-48 section 5.4: `ESC [`, parameters, one final byte.
    private static func escapeSequenceLength(in text: Span<UInt8>, at index: Int) -> Int {
        guard text.has("[", at: index + 1) else { return 1 }
        let end = text.endOfRun(from: index + 2) { (0x20...0x3F).contains($0) }
        return min(end + 1, text.count) - index
    }

    /// U+200B, U+200E, U+200F, U+2028 to U+202E, U+2066 to U+2069, U+FEFF. Joiners are kept because emoji need them.
    private static func isFormatting(in text: Span<UInt8>, at index: Int) -> Bool {
        guard index + 2 < text.count else { return false }
        switch (text[index], text[index + 1], text[index + 2]) {
        case (0xE2, 0x80, 0x8B), (0xE2, 0x80, 0x8E...0x8F), (0xE2, 0x80, 0xA8...0xAE), (0xE2, 0x81, 0xA6...0xA9),
            (0xEF, 0xBB, 0xBF):
            return true
        default: return false
        }
    }
}

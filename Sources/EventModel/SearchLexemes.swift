/// Splits text into the lexemes that searches compare. The same rules apply to texts and queries:
///
/// - A run of letters and digits is a word, in lower case. Therefore the parts of a path and of `snake_case` are words.
/// - The parts of a `camelCase` word are additional lexemes at the position of the word.
/// - Chinese, Japanese and Korean text is split into overlapping pairs of characters. The last character of a run is
///   also a lexeme. A query of two or more characters searches for its pairs. A query of one character searches for
///   lexemes that begin with it.
package enum SearchLexemes {
    package enum Kind: Sendable {
        case word
        /// A part of the word at the same position.
        case part
        /// Two adjacent characters.
        case pair
        /// The last character of a run.
        case last
        /// A character without a neighbour.
        case single
    }

    /// Maximum bytes of a word, in texts and in queries. Longer words are cut.
    fileprivate static let maximumBytes = 64
    /// The maximum position that PostgreSQL stores (manual, section 12.11).
    private static let lastPosition = 16_383

    /// Returns the lexemes in order, with their positions, counted from 1.
    package static func list(of text: String) -> [(text: String, position: Int, kind: Kind)] {
        var cutter = LexemeCutter(sink: List())
        cutter.cut(text)
        return cutter.sink.lexemes
    }

    /// Returns the lexemes with their positions in the input format of `tsvector`. They need no quotes, because a
    /// lexeme consists of letters and digits.
    package static func vector(of text: String) -> String {
        var cutter = LexemeCutter(sink: Vector())
        cutter.sink.bytes.reserveCapacity(2 * text.utf8.count)
        cutter.cut(text)
        return String(decoding: cutter.sink.bytes, as: UTF8.self)
    }

    private struct List: LexemeSink {
        var lexemes: [(text: String, position: Int, kind: Kind)] = []

        mutating func add(_ bytes: [UInt8], _ range: Range<Int>, at position: Int, _ kind: Kind) {
            lexemes.append((String(decoding: bytes[range], as: UTF8.self), position, kind))
        }
    }

    private struct Vector: LexemeSink {
        var bytes: [UInt8] = []

        mutating func add(_ lexeme: [UInt8], _ range: Range<Int>, at position: Int, _ kind: Kind) {
            for index in range { bytes.append(lexeme[index]) }
            bytes.append(UInt8(ascii: ":"))
            var divisor = 10_000
            let position = min(position, lastPosition)
            while divisor > position { divisor /= 10 }
            while divisor > 0 {
                bytes.append(UInt8(ascii: "0") + UInt8(position / divisor % 10))
                divisor /= 10
            }
            bytes.append(UInt8(ascii: " "))
        }
    }
}

private protocol LexemeSink {
    /// - Parameter range: where the lexeme is in `bytes`.
    mutating func add(_ bytes: [UInt8], _ range: Range<Int>, at position: Int, _ kind: SearchLexemes.Kind)
}

private struct LexemeCutter<Sink: LexemeSink> {
    var sink: Sink
    private var position = 1
    private var word: [UInt8] = []
    /// The indices in `word` at which its parts begin, except the first part.
    private var cuts: [Int] = []
    private var run: [UInt8] = []
    /// The indices in `run` at which its characters begin.
    private var starts: [Int] = []
    private var letters = LetterCase()

    init(sink: Sink) {
        self.sink = sink
    }

    mutating func cut(_ text: String) {
        for scalar in text.unicodeScalars {
            if scalar.value < 0x80 {
                if !starts.isEmpty { endRun() }
                takeASCII(UInt8(truncatingIfNeeded: scalar.value))
            } else {
                take(scalar)
            }
        }
        endWord()
        endRun()
    }

    private mutating func take(_ scalar: Unicode.Scalar) {
        if scalar.isWrittenWithoutSpaces {
            endWord()
            starts.append(run.count)
            run.append(contentsOf: Array(String(scalar).utf8))
        } else if scalar.properties.isAlphabetic || scalar.properties.numericType != nil || scalar.isMark {
            endRun()
            letters = LetterCase()
            word.append(contentsOf: Array(scalar.properties.lowercaseMapping.utf8))
        } else {
            endWord()
            endRun()
        }
    }

    private mutating func takeASCII(_ byte: UInt8) {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"):
            if letters.takesLower(byte), word.count > 1 { cuts.append(word.count - 1) }
            word.append(byte)
        case UInt8(ascii: "A")...UInt8(ascii: "Z"):
            if letters.takesUpper(), !word.isEmpty { cuts.append(word.count) }
            word.append(byte | 0x20)
        default:
            if !word.isEmpty { endWord() }
        }
    }

    private mutating func endWord() {
        guard !word.isEmpty else { return }
        sink.add(word, shortened(0..<word.count), at: position, .word)
        if !cuts.isEmpty {
            var start = 0
            for index in 0...cuts.count {
                let end = index < cuts.count ? cuts[index] : word.count
                if end - start > 1 { sink.add(word, shortened(start..<end), at: position, .part) }
                start = end
            }
            cuts.removeAll(keepingCapacity: true)
        }
        position += 1
        word.removeAll(keepingCapacity: true)
        letters = LetterCase()
    }

    private mutating func endRun() {
        guard let last = starts.last else { return }
        for index in starts.indices.dropLast() {
            let end = index + 2 < starts.count ? starts[index + 2] : run.count
            sink.add(run, starts[index]..<end, at: position, .pair)
            position += 1
        }
        sink.add(run, last..<run.count, at: position, starts.count > 1 ? .last : .single)
        position += 1
        run.removeAll(keepingCapacity: true)
        starts.removeAll(keepingCapacity: true)
    }

    /// Returns the range, cut to the maximum length at the beginning of a character.
    private func shortened(_ range: Range<Int>) -> Range<Int> {
        guard range.count > SearchLexemes.maximumBytes else { return range }
        var end = range.lowerBound + SearchLexemes.maximumBytes
        while word[end] & 0b1100_0000 == 0b1000_0000 { end -= 1 }
        return range.lowerBound..<end
    }
}

/// Splits a `camelCase` word before a capital letter that follows a small letter or a digit, and before the last of
/// several capital letters if a small letter follows it (`HTTP|Header`).
private struct LetterCase {
    private var capitals = 0
    private var isAfterSmall = false

    /// Whether a part begins at the previous letter.
    mutating func takesLower(_ byte: UInt8) -> Bool {
        let isLetter = byte >= UInt8(ascii: "a")
        defer { (capitals, isAfterSmall) = (0, true) }
        return isLetter && capitals > 1
    }

    /// Whether a part begins at this letter.
    mutating func takesUpper() -> Bool {
        defer { (capitals, isAfterSmall) = (capitals + 1, false) }
        return isAfterSmall
    }
}

extension Unicode.Scalar {
    /// Han, kana and Hangul.
    fileprivate var isWrittenWithoutSpaces: Bool {
        switch value {
        case 0x1100...0x11FF, 0x3005...0x3007, 0x3041...0x309F, 0x30A1...0x30FA, 0x30FC...0x318F, 0x31F0...0x31FF,
            0x3400...0x4DBF, 0x4E00...0x9FFF, 0xA960...0xA97F, 0xAC00...0xD7FF, 0xF900...0xFAFF, 0xFF66...0xFF9D,
            0x20000...0x323AF:
            true
        default: false
        }
    }

    fileprivate var isMark: Bool {
        switch properties.generalCategory {
        case .nonspacingMark, .spacingMark: true
        default: false
        }
    }
}

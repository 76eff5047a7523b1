/// Reads the tokens of a document, which is valid UTF-8.
struct JSONScanner {
    private let text: [UInt8]
    private var position = 0

    init(_ text: [UInt8]) {
        self.text = text
    }

    /// The byte to be read next; `nil` at the end.
    var next: UInt8? { position < text.count ? text[position] : nil }

    mutating func advance() { position += 1 }

    mutating func skipSpace() {
        while let next, next == 0x20 || next == 0x0A || next == 0x0D || next == 0x09 { position += 1 }
    }

    /// Reads `true`, `false` or `null`.
    mutating func literal() throws(JSONParseStatus) {
        for word in ["true", "false", "null"] where text[position...].starts(with: word.utf8) {
            position += word.utf8.count
            guard isAtEndOfToken else { throw .malformed }
            return
        }
        throw .malformed
    }

    /// A number or a literal ends before a space or one of `,:[]{}`.
    private var isAtEndOfToken: Bool {
        switch next {
        case nil, 0x20, 0x0A, 0x0D, 0x09, UInt8(ascii: ","), UInt8(ascii: ":"), UInt8(ascii: "["), UInt8(ascii: "]"),
            UInt8(ascii: "{"), UInt8(ascii: "}"):
            true
        default: false
        }
    }

    // MARK: Numbers

    /// Returns the kind on the tape (`l`, `u` or `d`) and the 64 bits.
    mutating func number() throws(JSONParseStatus) -> (kind: UInt8, bits: UInt64) {
        let start = position
        let isNegative = next == UInt8(ascii: "-")
        if isNegative { advance() }
        let whole = try digits()
        guard whole.count == 1 || text[whole.lowerBound] != UInt8(ascii: "0") else { throw .badNumber }
        var isInteger = true
        if next == UInt8(ascii: ".") {
            isInteger = false
            advance()
            _ = try digits()
        }
        if next == UInt8(ascii: "e") || next == UInt8(ascii: "E") {
            isInteger = false
            advance()
            if next == UInt8(ascii: "+") || next == UInt8(ascii: "-") { advance() }
            _ = try digits()
        }
        guard isAtEndOfToken else { throw .badNumber }
        if isInteger { return try integer(whole, isNegative: isNegative) }
        guard let value = Double(String(decoding: text[start..<position], as: UTF8.self)), value.isFinite else {
            throw .badNumber
        }
        return (UInt8(ascii: "d"), value.bitPattern)
    }

    private mutating func digits() throws(JSONParseStatus) -> Range<Int> {
        let start = position
        while let next, (0x30...0x39).contains(next) { position += 1 }
        guard position > start else { throw .badNumber }
        return start..<position
    }

    private func integer(
        _ digits: Range<Int>,
        isNegative: Bool
    ) throws(JSONParseStatus) -> (kind: UInt8, bits: UInt64) {
        guard let magnitude = UInt64(String(decoding: text[digits], as: UTF8.self)) else { throw .badNumber }
        if isNegative {
            guard magnitude <= Int64.min.magnitude else { throw .badNumber }
            return (UInt8(ascii: "l"), 0 &- magnitude)
        }
        return (magnitude <= UInt64(Int64.max) ? UInt8(ascii: "l") : UInt8(ascii: "u"), magnitude)
    }

    // MARK: Strings

    /// Reads a string with its quotes, and appends what it means.
    mutating func string(into output: inout [UInt8]) throws(JSONParseStatus) {
        advance()
        var run = position
        while let byte = next {
            switch byte {
            case UInt8(ascii: "\""):
                output += text[run..<position]
                advance()
                return
            case UInt8(ascii: "\\"):
                output += text[run..<position]
                advance()
                try escape(into: &output)
                run = position
            case ..<0x20: throw .malformed
            default: advance()
            }
        }
        throw .malformed
    }

    private mutating func escape(into output: inout [UInt8]) throws(JSONParseStatus) {
        guard let byte = next else { throw .malformed }
        advance()
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): output.append(byte)
        case UInt8(ascii: "b"): output.append(0x08)
        case UInt8(ascii: "f"): output.append(0x0C)
        case UInt8(ascii: "n"): output.append(0x0A)
        case UInt8(ascii: "r"): output.append(0x0D)
        case UInt8(ascii: "t"): output.append(0x09)
        case UInt8(ascii: "u"): output.append(contentsOf: UTF8.encode(try scalar()) ?? UTF8.encodedReplacementCharacter)
        default: throw .badString
        }
    }

    /// The scalar of one escape after its `\u`, or of two that are a surrogate pair.
    private mutating func scalar() throws(JSONParseStatus) -> Unicode.Scalar {
        var value = try fourDigits()
        if (0xD800..<0xDC00).contains(value) {
            guard text[position...].starts(with: "\\u".utf8) else { throw .badString }
            position += 2
            let low = try fourDigits()
            guard (0xDC00..<0xE000).contains(low) else { throw .badString }
            value = 0x10000 + (value - 0xD800) << 10 + (low - 0xDC00)
        }
        guard let scalar = Unicode.Scalar(value) else { throw .badString }
        return scalar
    }

    private mutating func fourDigits() throws(JSONParseStatus) -> UInt32 {
        var value: UInt32 = 0
        for _ in 0..<4 {
            guard let byte = next else { throw .malformed }
            switch byte {
            case UInt8(ascii: "0")...UInt8(ascii: "9"): value = value << 4 | UInt32(byte - 0x30)
            case UInt8(ascii: "a")...UInt8(ascii: "f"): value = value << 4 | UInt32(byte - 0x57)
            case UInt8(ascii: "A")...UInt8(ascii: "F"): value = value << 4 | UInt32(byte - 0x37)
            default: throw .badString
            }
            advance()
        }
        return value
    }
}

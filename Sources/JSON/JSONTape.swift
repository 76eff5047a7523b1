/// A parsed document as simdjson's tape (simdjson doc/tape.md), written without that library. Nesting takes no stack.
struct JSONTape {
    private(set) var words: [UInt64] = []
    /// Each string as its length in four bytes, its text and a NUL.
    private(set) var strings: [UInt8] = []
    private var scanner: JSONScanner
    private let maxDepth: Int
    private var open: [Container] = []

    private struct Container {
        /// The index of its first word.
        var start: Int
        /// The number of its values.
        var count = 0
        var isObject: Bool
    }

    private enum Mark {
        static let root = UInt8(ascii: "r")
        static let quote = UInt8(ascii: "\"")
        static let colon = UInt8(ascii: ":")
        static let comma = UInt8(ascii: ",")
        static let openBrace = UInt8(ascii: "{")
        static let closeBrace = UInt8(ascii: "}")
        static let openBracket = UInt8(ascii: "[")
        static let closeBracket = UInt8(ascii: "]")
    }

    init(_ text: [UInt8], maxDepth: Int) throws(JSONParseStatus) {
        scanner = JSONScanner(text)
        self.maxDepth = maxDepth
        scanner.skipSpace()
        guard scanner.next != nil else { throw .empty }
        try JSONTape.checkUTF8(text)
        append(Mark.root)
        repeat {
            while try !isWholeValue() {}
        } while try isAnotherValueNext()
        append(Mark.root)
        words[0] |= UInt64(words.count)
        // Never without an address.
        strings.append(0)
    }

    private static func checkUTF8(_ text: [UInt8]) throws(JSONParseStatus) {
        do { _ = try UTF8Span(validating: text.span) } catch { throw .badUTF8 }
    }

    private mutating func append(_ mark: UInt8, _ payload: UInt64 = 0) {
        words.append(UInt64(mark) << 56 | payload)
    }

    /// Reads a scalar or an empty container. Returns false if it has read the beginning of a container instead, up to
    /// its first value.
    private mutating func isWholeValue() throws(JSONParseStatus) -> Bool {
        scanner.skipSpace()
        guard let byte = scanner.next else { throw .malformed }
        switch byte {
        case Mark.openBrace: return try isEmptyContainer(isObject: true)
        case Mark.openBracket: return try isEmptyContainer(isObject: false)
        case Mark.quote: try string()
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"):
            let (kind, bits) = try scanner.number()
            append(kind)
            words.append(bits)
        default:
            try scanner.literal()
            append(byte)
        }
        return true
    }

    private mutating func isEmptyContainer(isObject: Bool) throws(JSONParseStatus) -> Bool {
        let container = Container(start: words.count, isObject: isObject)
        scanner.advance()
        scanner.skipSpace()
        append(isObject ? Mark.openBrace : Mark.openBracket)
        if scanner.next == (isObject ? Mark.closeBrace : Mark.closeBracket) {
            scanner.advance()
            close(container)
            return true
        }
        open.append(container)
        guard open.count < maxDepth else { throw .tooDeep }
        if isObject { try name() }
        return false
    }

    /// Ends the containers that end after a value. Returns false at the end of the document.
    private mutating func isAnotherValueNext() throws(JSONParseStatus) -> Bool {
        while var container = open.popLast() {
            container.count += 1
            scanner.skipSpace()
            guard let byte = scanner.next else { throw .malformed }
            scanner.advance()
            if byte == Mark.comma {
                open.append(container)
                if container.isObject { try name() }
                return true
            }
            guard byte == (container.isObject ? Mark.closeBrace : Mark.closeBracket) else { throw .malformed }
            close(container)
        }
        scanner.skipSpace()
        guard scanner.next == nil else { throw .malformed }
        return false
    }

    /// The first word has the index after the last one, and the number of values up to 24 bits; the last has the index
    /// of the first.
    private mutating func close(_ container: Container) {
        append(container.isObject ? Mark.closeBrace : Mark.closeBracket, UInt64(container.start))
        words[container.start] |= UInt64(min(container.count, 0xFF_FFFF)) << 32 | UInt64(words.count)
    }

    private mutating func name() throws(JSONParseStatus) {
        scanner.skipSpace()
        guard scanner.next == Mark.quote else { throw .malformed }
        try string()
        scanner.skipSpace()
        guard scanner.next == Mark.colon else { throw .malformed }
        scanner.advance()
    }

    private mutating func string() throws(JSONParseStatus) {
        let start = strings.count
        append(Mark.quote, UInt64(start))
        strings += [0, 0, 0, 0]
        try scanner.string(into: &strings)
        let length = UInt32(truncatingIfNeeded: strings.count - start - 4)
        for position in 0..<4 { strings[start + position] = UInt8(truncatingIfNeeded: length >> (8 * position)) }
        strings.append(0)
    }
}

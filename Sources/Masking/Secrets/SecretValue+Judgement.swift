/// Decides whether a value is a secret.
extension SecretValue {
    /// Types that follow `password:` in source code.
    private static let typeWords = SecretWordSet(
        [
            "string", "str", "bool", "int", "number", "any", "null", "nil", "none", "true", "false", "undefined",
            "optional", "required", "text", "bytes", "varchar", "void", "object", "boolean", "self", "unknown", "never",
        ]
    )
    /// Keywords that begin an expression in source code.
    private static let operators = ["await", "try", "new", "yield", "not", "typeof", "lambda"]

    /// Whether a complete value is a secret.
    static func isSecret(_ value: Span<UInt8>, _ strength: SecretName.Strength) -> Bool {
        let sample = value.extracting(first: maxSample)
        guard !value.isEmpty, !isPlaceholder(in: value, at: 0, 0), !isTypeWord(sample) else { return false }
        return isEnough(sample, Context(strength: strength, isEnvironment: true), isBare: true)
    }

    /// Ignores masks: a mask in the value must not make it long enough when the text is masked again.
    static func isEnough(_ value: Span<UInt8>, _ context: Context, isBare: Bool) -> Bool {
        guard !value.isEmpty else { return false }
        guard context.strength != .certain else { return true }
        var digits = 0
        var letters = 0
        var blanks = 0
        var masked = 0
        for index in value.indices {
            if value[index].isASCIIDigit { digits += 1 } else if value[index].isASCIILetter { letters += 1 }
            if value[index].isBlank { blanks += 1 }
            if value[index] == UInt8(ascii: "*"), (index - 2...index).contains(where: { value.has("***", at: $0) }) {
                masked += 1
            }
        }
        let count = value.count - masked
        let others = count - digits - letters
        let first = value[0]
        let isPath = first == UInt8(ascii: "/") || first == UInt8(ascii: "~") || first == UInt8(ascii: ".")
        if context.strength == .line { return value.has("=", at: 0) || letters > 0 && others > 0 }
        guard blanks == 0, !isPath else { return false }
        for index in value.indices {
            if value[index] == UInt8(ascii: ":"), value.has("://", at: index), !value.has("@", at: 0) { return false }
        }
        if context.strength == .likely {
            return count >= 6
                && (context.isEnvironment && !isBare || letters > 0 && digits + others > 0
                    || context.isEnvironment && letters > 0)
        }
        return count >= 12 && letters > 0 && digits > 0
    }

    /// `$TOKEN`, `${{ secrets.X }}`, `<token>`, `%TOKEN%`, `***`, `[REDACTED]`: a reference or an already masked
    /// value.
    static func isPlaceholder(in text: Span<UInt8>, at index: Int, _ quote: UInt8) -> Bool {
        switch text.byte(at: index) {
        case UInt8(ascii: "{"), UInt8(ascii: "("), UInt8(ascii: "["), UInt8(ascii: "<"): return true
        case UInt8(ascii: "*"): return text.has("***", at: index)
        case UInt8(ascii: "%"): return !text.byte(at: index + 1).isHexDigit || !text.byte(at: index + 2).isHexDigit
        case UInt8(ascii: "$"):
            let next = text.byte(at: index + 1)
            if next == UInt8(ascii: "{") || next == UInt8(ascii: "(") { return true }
            let end = text.endOfName(from: index + 1, limit: maxSample)
            let behind = text.byte(at: end)
            if text.has("***", at: end) { return true }
            return end > index + 1
                && (quote == 0
                    ? behind <= 0x20 || behind.isQuote || !behind.isASCII
                        || [UInt8](",;&)}]|\\:/`".utf8).contains(behind)
                    : behind == quote || behind == UInt8(ascii: "\\"))
        default: return false
        }
    }

    /// A call, a member access, or in source code a variable with a similar name.
    static func isCode(in text: Span<UInt8>, _ word: Range<Int>, _ context: Context, _ scan: inout SecretScan)
        -> Bool
    {
        guard !word.isEmpty, text[word.lowerBound].isASCIILetter || text[word.lowerBound] == UInt8(ascii: "_") else {
            return false
        }
        let next = text.byte(at: word.upperBound)
        if next == UInt8(ascii: "(") { return true }
        // The word is the name of the next assignment, whose value is masked.
        if next == UInt8(ascii: "="), scan.strength(ofName: word, in: text) == .certain { return true }
        if next == UInt8(ascii: "["), TextEscape.colour(in: text, at: word.upperBound) == 0 { return true }
        if next == UInt8(ascii: " "), word.count <= 6,
            operators.contains(where: { word.count == $0.utf8.count && text.has($0, at: word.lowerBound) })
        {
            return true
        }
        guard !context.isEnvironment else { return false }
        var hasDot = false
        for index in word {
            if text[index].isASCIIDigit || text[index] == UInt8(ascii: "-") { return false }
            hasDot = hasDot || text[index] == UInt8(ascii: ".")
        }
        if hasDot || context.isComparison { return true }
        guard text[word.lowerBound - 1].isBlank else { return false }
        return scan.strength(ofName: word, in: text) == .certain
    }

    /// `String`, `string?`: the word, ignoring case, and at most punctuation after it.
    static func isTypeWord(_ value: Span<UInt8>) -> Bool {
        guard value.count <= 12 else { return false }
        let start = value.endOfRun(from: 0) { !$0.isASCIIAlphanumeric }
        let end = value.endOfRun(from: start, \.isASCIILetter)
        for index in end..<value.count where value[index].isASCIIAlphanumeric { return false }
        return end > start && typeWords.contains(value.extracting(start..<end))
    }
}

extension UInt8 {
    fileprivate var isASCII: Bool { self < 0x80 }
}

extension Span<UInt8> {
    fileprivate func endOfName(from index: Int, limit: Int) -> Int {
        var end = index
        while end < count, end - index < limit, self[end].isTokenByte { end += 1 }
        return end
    }
}

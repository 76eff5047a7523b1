/// Expands the braces of a marked word. `hooks/lib/words.awk` does the same.
struct BraceExpansion {
    private static let maximumWords = 64
    private static let maximumBraces = 32

    /// Holds empty words too, so that the number of words bounds the work.
    private var made: [[UInt8]] = []

    /// The words that are not empty. Returns `nil` if the word has more than 32 braces or expands to more than 64
    /// words, empty ones included.
    static func words(of word: [UInt8]) -> [[UInt8]]? {
        let braces = word.count { $0 == UInt8(ascii: "{") }
        if braces == 0 { return [word] }
        if braces > maximumBraces { return nil }
        var expansion = BraceExpansion()
        expansion.expand(word)
        return expansion.made.count > maximumWords ? nil : expansion.made.filter { !$0.isEmpty }
    }

    private mutating func expand(_ word: [UInt8]) {
        var index = 0
        while index < word.count {
            if word[index] == ShellMark.quote { index += 1 }
            if index < word.count, word[index] == UInt8(ascii: "{"), index == 0 || word[index - 1] != ShellMark.quote,
                let (parts, end) = BraceExpansion.parts(of: word, from: index)
            {
                let (before, after) = (word[..<index], word[(end + 1)...])
                if parts.count > 1 {
                    for part in parts where made.count <= BraceExpansion.maximumWords { expand(before + part + after) }
                    return
                }
                // A sequence generates neither a slash nor a dot, so `*` stands for it.
                if BraceExpansion.isSequence(parts[0]) { return expand(before + [UInt8(ascii: "*")] + after) }
            }
            index += 1
        }
        made.append(word)
    }

    /// Returns the parts between the brace at the index and its closing brace, and the index of the closing brace.
    private static func parts(of word: [UInt8], from start: Int) -> (parts: [[UInt8]], end: Int)? {
        var parts: [[UInt8]] = []
        var depth = 1
        var from = start + 1
        var index = from
        while index < word.count {
            let character = word[index]
            switch character {
            case ShellMark.quote: index += 1
            case UInt8(ascii: "{"): depth += 1
            case UInt8(ascii: "}"): depth -= 1
            default: break
            }
            if character == UInt8(ascii: ",") && depth == 1 || depth == 0 {
                parts.append(Array(word[from..<index]))
                from = index + 1
            }
            if depth == 0 { return (parts, index) }
            index += 1
        }
        return nil
    }

    /// Whether the text has the form `1..9`, `a..e` or `1..9..2`.
    private static func isSequence(_ text: [UInt8]) -> Bool {
        var fields: [ArraySlice<UInt8>] = []
        var rest = text[...]
        while let dots = rest.firstRange(of: Array("..".utf8)) {
            fields.append(rest[..<dots.lowerBound])
            rest = rest[dots.upperBound...]
        }
        fields.append(rest)
        guard fields.count == 2 || fields.count == 3 && isNumber(fields[2]) else { return false }
        let ends = fields.prefix(2)
        return ends.allSatisfy(isNumber) || ends.allSatisfy { $0.count == 1 && $0.allSatisfy(\.isLetter) }
    }

    private static func isNumber(_ text: ArraySlice<UInt8>) -> Bool {
        let digits = text.first == UInt8(ascii: "-") ? text.dropFirst() : text
        return !digits.isEmpty && digits.allSatisfy(\.isDigit)
    }
}

/// Expands the braces of a marked word. `hooks/lib/words.awk` does the same.
struct BraceExpansion {
    private static let maximumWords = 64
    private static let maximumBraces = 32

    /// The words that are not empty. The word itself if it has more than 32 braces or expands to more than 64 words,
    /// empty ones included.
    private(set) var words: [[UInt8]] = []
    /// Whether there are no other words: not too many, and none that only a shell other than bash makes.
    private(set) var isCertain = true

    /// Holds empty words too, so that the number of words bounds the work.
    private var made: [[UInt8]] = []

    init(of word: [UInt8]) {
        let braces = word.count { $0 == UInt8(ascii: "{") }
        words = [word]
        guard braces > 0 else { return }
        if braces <= BraceExpansion.maximumBraces { expand(word) }
        if braces > BraceExpansion.maximumBraces || made.count > BraceExpansion.maximumWords {
            isCertain = false
        } else {
            words = made.filter { !$0.isEmpty }
        }
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
                if let isKnown = BraceExpansion.sequence(parts[0]) {
                    if !isKnown { isCertain = false }
                    return expand(before + [UInt8(ascii: "*")] + after)
                }
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

    /// Returns whether bash expands a text that has the form `1..9`, `a..e` or `1..9..2`; `nil` if no shell does. A
    /// sequence of zsh can consist of any characters.
    private static func sequence(_ text: [UInt8]) -> Bool? {
        if let isKnown = pair(text[...]) { return isKnown }
        let digits = text.reversed().prefix(while: \.isDigit).count
        var rest = text.dropLast(digits)
        if rest.last?.isOne(of: .signs) == true { rest.removeLast() }
        guard digits > 0, rest.suffix(2) == Array("..".utf8)[...] else { return nil }
        return pair(rest.dropLast(2))
    }

    private static func pair(_ text: ArraySlice<UInt8>) -> Bool? {
        guard let dots = text.dropFirst().firstRange(of: Array("..".utf8)) else { return nil }
        let (start, end) = (text[..<dots.lowerBound], text[dots.upperBound...])
        if isNumber(start), isNumber(end) { return true }
        guard start.count == 1, end.count == 1, let first = start.first, let last = end.first,
            ![first, last].contains(ShellMark.quote), ![first, last].contains(ShellMark.unknown)
        else { return nil }
        return first.isLetter && last.isLetter
    }

    private static func isNumber(_ text: ArraySlice<UInt8>) -> Bool {
        let digits = text.first?.isOne(of: .signs) == true ? text.dropFirst() : text
        return !digits.isEmpty && digits.allSatisfy(\.isDigit)
    }
}

/// Reads arithmetic, and what begins like it: `$((a); b)` and `((a); b)` are commands. `hooks/lib/arithmetic.awk` does
/// the same.
extension ShellReader {
    /// What a text is that bash reads like arithmetic.
    enum Balanced { case arithmetic, commands, either }

    /// What an attempt to read arithmetic changes.
    private struct Attempt {
        let start: Int
        let tokens: Int
        let documents: [HereDocument]
    }

    /// The time doubles with each time that one attempt is nested in another.
    private static let maximumAttempts = 4

    private var attempt: Attempt { Attempt(start: at, tokens: tokens.count, documents: documents) }

    /// Reads `$((` from the first parenthesis on.
    ///
    /// bash counts parentheses to find the end, and then tells arithmetic from commands by the normal form of the text.
    /// If that form is not known, both are read. The commands must fill the text, because bash can end it where the
    /// commands go on.
    mutating func readDoubleParentheses() {
        let before = attempt
        at += 1
        let found = readParentheses()
        defer { parentheses -= 1 }
        if found == .arithmetic || isUnread { return }
        let stop = at
        if found != .either { tokens.removeSubrange(before.tokens...) }
        (at, documents) = (before.start + 1, before.documents)
        readSubstitution()
        if found == .either, documents.count > before.documents.count { leaveUnread() }
        if found != nil, at != stop { leaveUnread() }
    }

    /// Reads `(( ))`. Returns false and reads nothing if it is not arithmetic.
    mutating func readArithmeticCommand() -> Bool {
        let before = attempt
        at = ahead(at + 1) + 1
        markOpaque()
        let found = readParentheses()
        let isArithmetic = found != nil && byte() == UInt8(ascii: ")")
        if found != nil, isAmbiguousEnd { leaveUnread() }
        if isArithmetic { at += 1 }
        if isArithmetic || isUnread { return true }
        tokens.removeSubrange(before.tokens...)
        (at, documents) = (before.start, before.documents)
        return false
    }

    /// Whether bash reads commands in parentheses that end here differently, depending on where they are.
    ///
    /// After a line end, bash drops a word of the next line, if it reads lines. After a continued line, `((` is
    /// arithmetic in some texts only.
    private var isAmbiguousEnd: Bool {
        let next = ahead(at)
        return byte() == UInt8(ascii: "\n") || next > at && next < source.count && source[next] == UInt8(ascii: ")")
    }

    /// Reads arithmetic up to the closing parenthesis.
    private mutating func readParentheses() -> Balanced? {
        parentheses += 1
        if parentheses > ShellReader.maximumAttempts { leaveUnread() }
        return readBalanced(UInt8(ascii: "("), UInt8(ascii: ")"))
    }

    /// Reads a text in which only quotes and substitutions have a meaning, up to the character that closes it. Returns
    /// what the text is after `$(`, with the opening parenthesis that begins it; `nil` if nothing closes it.
    mutating func readBalanced(_ opener: UInt8, _ closer: UInt8) -> Balanced? {
        var (depth, inner, isUnclear) = (1, 0, false)
        descend()
        defer { ascend() }
        while let character = byte() {
            if character == opener { depth += 1 }
            if character == closer {
                depth -= 1
                if depth == 1, inner == 0 { inner = at }
                if depth == 0 { break }
            }
            let before = rewritten
            // Where bash expands the text, a comment can begin here.
            if character == UInt8(ascii: "#"), at > 0, source[at - 1].isOne(of: .whites) { isUnclear = true }
            if character == UInt8(ascii: "$"), after(at)?.isOne(of: .arithmeticDollars) != true {
                at = after(at) == UInt8(ascii: "$") ? ahead(at + 1) + 1 : at + 1
            } else {
                step(over: character, isQuoted: true)
            }
            if rewritten > before { isUnclear = true }
        }
        guard at < source.count else { return nil }
        defer { at += 1 }
        if isUnclear { return .either }
        return ahead(inner + 1) == at ? .arithmetic : .commands
    }
}

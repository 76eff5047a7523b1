internal import EventModel

/// Judges arguments that a program interprets itself: patterns, numbers, and directories that it searches.
extension CommandRisk {
    /// Judges the patterns of files that the text contains, between white space and commas. A backslash quotes a
    /// character there, and a wildcard matches a dot.
    mutating func judgePatterns(_ text: [UInt8], below directory: [UInt8]?) {
        let word = text.map { $0 == UInt8(ascii: "\\") ? ShellMark.quote : $0 }
        let made = BraceExpansion(of: word)
        if !made.isCertain { raise(to: .execute) }
        let patterns = made.words.flatMap { $0.split { $0.isOne(of: .patternSeparators) } }
        for pattern in patterns where risk < .highest {
            judgePath(Array(pattern), isWritten: false, matchesDot: true)
            guard let directory else { continue }
            judgePath(directory + [UInt8(ascii: "/")] + pattern, isWritten: false, matchesDot: true)
        }
    }

    /// Judges an argument of Git, which resolves patterns also in quotes, and words such as `:(top)a`, `:/a` and `:!a`.
    mutating func judgePathspec(_ word: [UInt8]) {
        var text = ShellMark.unmarked(word)[...]
        if let magic = CommandRisk.magic(text) {
            text = text[magic.endIndex...]
            if magic.contains(where: { $0.isOne(of: .negations) }) { return }
            if magic.firstRange(of: Array("exclude".utf8)) != nil { return }
        } else if text == word[...], !text.contains(UInt8(ascii: "\\")) {
            return
        }
        if CommandRisk.isCommon(text) { return }
        judgePatterns(Array(text), below: nil)
        // The last * also matches a slash.
        if let star = text.lastIndex(of: UInt8(ascii: "*")) { judgePatterns(Array(text[star...]), below: nil) }
    }

    /// Whether the text is `*.json` or ends in it after `*` or `/`.
    private static func isCommon(_ text: ArraySlice<UInt8>) -> Bool {
        let ending = Array("*.json".utf8)
        guard text.suffix(ending.count) == ending[...] else { return false }
        let before = text.dropLast(ending.count).last
        return before == nil || before == UInt8(ascii: "*") || before == UInt8(ascii: "/")
    }

    /// The text from the colon on that tells Git how to resolve what follows.
    private static func magic(_ text: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
        guard text.first == UInt8(ascii: ":") else { return nil }
        if text.dropFirst().first == UInt8(ascii: "("), let end = text.firstIndex(of: UInt8(ascii: ")")) {
            return text[...end]
        }
        let end = text.dropFirst().prefix { $0.isOne(of: .pathMagic) }.endIndex
        return text[..<(end < text.endIndex && text[end] == UInt8(ascii: ":") ? end + 1 : end)]
    }

    /// Judges the subscripts in a word that a shell evaluates as numbers: in `a[$(b)]`, also in quotes, it runs b.
    mutating func judgeSubscripts(_ word: [UInt8], depth: Int) {
        let text = ShellMark.unmarked(word)
        guard let bracket = text.firstIndex(of: UInt8(ascii: "[")) else { return }
        let rest = text[bracket...]
        let start = rest.indices.first { index in
            rest[index] == UInt8(ascii: "`") || rest[index...].starts(with: "$(".utf8)
        }
        if let start { judge(Array(": ".utf8) + rest[start...], depth: depth + 1) }
    }

    /// Judges the directories that a program reads.
    mutating func judge(_ search: RiskTable.Search, _ texts: [[UInt8]], _ arguments: [[UInt8]]) {
        if let word = search.word, !texts.contains(where: word.matches) { return }
        // The text may be the value of an option.
        let skipped = search.takesText && !texts.contains(where: CommandRisk.givesText) ? 1 : 0
        for argument in arguments.dropFirst(skipped) where risk < .highest { judgeSearched(argument) }
        if arguments.count <= skipped { judgeSearched([UInt8(ascii: ".")]) }
    }

    /// Whether the word is `--regexp`, `--file`, or a group of short options that contains `-e` or `-f`.
    private static func givesText(_ word: [UInt8]) -> Bool {
        guard word.first == UInt8(ascii: "-") else { return false }
        if word.starts(with: "--re".utf8) || word.starts(with: "--f".utf8) { return true }
        return word.dropFirst().prefix { $0 != UInt8(ascii: "-") }.contains { $0.isOne(of: .textOptions) }
    }

    /// Judges a directory that a program searches recursively. Ignores directories inside the project.
    mutating func judgeSearched(_ path: [UInt8]) {
        for place in directories.outside(path) { raise(to: table.risk(ofSearched: place)) }
    }
}

extension ShellReader {
    /// Reads the word at `at`, as marked text.
    mutating func readWord() -> [UInt8] {
        var word: [UInt8] = []
        var bare = true
        while let character = byte() {
            if character.isOne(of: .ends) { break }
            if character.isOne(of: .angles), after(at) != UInt8(ascii: "(") { break }
            if character == UInt8(ascii: "("), !Assignment.isStart(word) { break }
            guard character.isOne(of: .expansions) else {
                word.append(character)
                at += 1
                continue
            }
            let start = at
            let isContinuation = character == UInt8(ascii: "\\") && byte(1) == UInt8(ascii: "\n")
            word += readExpansion(character)
            let isLoneDollar = character == UInt8(ascii: "$") && at == start + 1
            if !isContinuation, !isLoneDollar { bare = false }
        }
        isBare = bare
        return word
    }

    /// Reads the quote or expansion that the character begins outside quotes.
    private mutating func readExpansion(_ character: UInt8) -> [UInt8] {
        switch character {
        case UInt8(ascii: "'"): return readSingleQuoted()
        case UInt8(ascii: "$"): return readDollar(isQuoted: false)
        case UInt8(ascii: "`"): return readBackquoted(isQuoted: false)
        default: break
        }
        at += 1
        switch character {
        case UInt8(ascii: "\""): return readDoubleQuoted()
        case UInt8(ascii: "\\"):
            guard let next = byte() else {
                at += 1
                return [character]
            }
            at += 1
            return next == UInt8(ascii: "\n") ? [] : ShellMark.quoted([next])
        case UInt8(ascii: "("): readArray()
        default:
            markOpaque()
            at = ahead(at) + 1
            readSubstitution()
        }
        return [ShellMark.unknown]
    }

    /// Reads the words of an array. They are not commands, but may be names of files.
    private mutating func readArray() {
        descend()
        defer { ascend() }
        while let character = byte() {
            if character == UInt8(ascii: ")") {
                at += 1
                return
            }
            let start = at
            if character == UInt8(ascii: "#") {
                skipComment()
            } else if character.isBlank || character == UInt8(ascii: "\n") {
                at += 1
            } else {
                let word = readWord()
                tokens.append(.read(word))
            }
            if at == start { at += 1 }
        }
        markOpaque()
    }

    private enum Operator { case read, write, duplicate(isRead: Bool), document(stripsTabs: Bool), text }

    private static let operators: [(text: StaticString, kind: Operator)] = [
        ("&>>", .write), ("&>", .write), ("<<<", .text), ("<<-", .document(stripsTabs: true)),
        ("<<", .document(stripsTabs: false)), ("<&", .duplicate(isRead: true)), ("<>", .write), (">>", .write),
        (">&", .duplicate(isRead: false)), (">|", .write), ("<", .read), (">", .write),
    ]

    /// Reads a redirection: the operator and the file name after it.
    mutating func takeRedirection() {
        var places = [at]
        while places.count < 3 { places.append(ahead(places[places.count - 1] + 1)) }
        let rest = places.prefix { $0 < source.count }.map { source[$0] }
        guard let found = ShellReader.operators.first(where: { rest.starts(with: "\($0.text)".utf8) }) else { return }
        at = ahead(places[found.text.utf8CodeUnitCount - 1] + 1)
        while byte()?.isBlank == true { at = ahead(at + 1) }
        noteRedirection()
        guard let next = byte(), !next.isOne(of: .noFile), !next.isOne(of: .angles) || after(at) == UInt8(ascii: "(")
        else {
            markOpaque()
            return
        }
        if case .duplicate = found.kind, next == UInt8(ascii: "-") {
            // The operator ends after the hyphen. In zsh, the hyphen and the characters after it name a file.
            if let glued = after(at), !glued.isOne(of: .ends), !glued.isOne(of: .angles) { markOpaque() }
            at += 1
            return
        }
        let word = readWord()
        switch found.kind {
        case .document(let stripsTabs):
            markOpaque()
            rewritten += 1
            // The end of the document would be the text of the expansion.
            if word.contains(ShellMark.unknown) { leaveUnread() }
            documents.append(
                HereDocument(end: ShellMark.unmarked(word), stripsTabs: stripsTabs, isQuoted: !isBare)
            )
        case .text:
            markOpaque()
            tokens.append(.text(ShellMark.unmarked(word)))
        case .duplicate where ShellReader.isDescriptor(word): break
        case .read, .duplicate(isRead: true): takeFile(word, isRead: true)
        case .write, .duplicate(isRead: false): takeWritten(word)
        }
    }

    /// Reads a word directly before a redirection operator, if it names the file descriptor: digits, or a variable in
    /// braces, to which the shell assigns the number.
    mutating func takeDescriptor(_ word: [UInt8]) -> Bool {
        if isBare, !word.isEmpty, word.allSatisfy(\.isDigit) { return true }
        guard word.first == UInt8(ascii: "{"), word.last == UInt8(ascii: "}"),
            Assignment.isVariable(Array(word.dropFirst().dropLast()), isBare: isBare)
        else { return false }
        markOpaque()
        tokens.append(.read(word))
        return true
    }

    private static func isDescriptor(_ word: [UInt8]) -> Bool {
        (word.last == UInt8(ascii: "-") ? word.dropLast() : word[...]).allSatisfy(\.isDigit)
    }

    mutating func takeFile(_ word: [UInt8], isRead: Bool) {
        let made = BraceExpansion(of: word)
        if !made.isCertain { markOpaque() }
        for file in made.words { tokens.append(isRead ? .read(file) : .write(file)) }
    }

    /// Reads the here-documents whose operators are on the line that ended.
    mutating func readHereDocuments() {
        let waiting = documents
        documents = []
        for document in waiting { read(document) }
    }

    private mutating func read(_ document: HereDocument) {
        var body: [UInt8] = []
        while true {
            guard at < source.count else {
                markOpaque()
                break
            }
            var line = readLine()[...]
            while !document.isQuoted, at < source.count, ShellReader.isContinued(line) {
                line = line.dropLast() + readLine()
            }
            if Array(line) == document.end { break }
            if document.stripsTabs { line = line.drop { $0 == UInt8(ascii: "\t") } }
            if Array(line) == document.end { break }
            // In a substitution, bash ends the document also where a parenthesis follows its end in the line.
            let rest = line.dropFirst(document.end.count)
            if substitutions > 0, line.starts(with: document.end), rest.contains(UInt8(ascii: ")")) {
                markOpaque()
                at -= rest.count + 1
                break
            }
            body += line
            body.append(UInt8(ascii: "\n"))
        }
        tokens.append(.text(body))
        // bash runs the substitutions in the text.
        if !document.isQuoted { readSeparately(body, areCommands: false) }
    }

    private mutating func readLine() -> [UInt8] {
        let line = source[at...].prefix { $0 != UInt8(ascii: "\n") }
        at = line.endIndex + 1
        return Array(line)
    }

    private static func isContinued(_ line: ArraySlice<UInt8>) -> Bool {
        line.reversed().prefix { $0 == UInt8(ascii: "\\") }.count % 2 == 1
    }
}

/// The beginning of an assignment: a name, an optional subscript, and `=` or `+=`.
enum Assignment {
    /// Returns the index after the `=`, or `nil` if the word is not an assignment.
    static func end(_ word: [UInt8], isWhole: Bool = false) -> Int? {
        guard let first = word.first, first.isNamePart, !first.isDigit else { return nil }
        let name = word.prefix(while: \.isNamePart).count
        if let end = sign(word, name), !isWhole || end == word.count { return end }
        guard name < word.count, word[name] == UInt8(ascii: "[") else { return nil }
        for index in word.indices.dropFirst(name + 1) where word[index] == UInt8(ascii: "]") {
            if let end = sign(word, index + 1), !isWhole || end == word.count { return end }
        }
        return nil
    }

    /// Whether the word is a name, or a name and a subscript, which may be quoted.
    static func isVariable(_ word: [UInt8], isBare: Bool) -> Bool {
        guard let first = word.first, first.isNamePart, !first.isDigit else { return false }
        let rest = word[word.prefix(while: \.isNamePart).count...]
        return rest.isEmpty && isBare
            || rest.count > 2 && rest.first == UInt8(ascii: "[") && rest.last == UInt8(ascii: "]")
    }

    static func isStart(_ word: [UInt8]) -> Bool { end(word, isWhole: true) != nil }

    private static func sign(_ word: [UInt8], _ index: Int) -> Int? {
        let rest = word[index...]
        if rest.starts(with: "+=".utf8) { return index + 2 }
        return rest.first == UInt8(ascii: "=") ? index + 1 : nil
    }
}

/// A part of a shell command, as far as the command's text shows it.
enum ShellToken: Equatable {
    /// A word without its quotes.
    case word([UInt8])
    /// The end of a simple command.
    case end
    /// A file to which the command writes.
    case write([UInt8])
    /// A file that the command reads.
    case read([UInt8])
    /// The text alone does not show what runs.
    case opaque
}

/// Splits a shell command into tokens. `hooks/lib/shell.awk` implements the same algorithm.
struct ShellTokens {
    private enum Target { case word, write, read, none }

    private let command: [UInt8]
    private var tokens: [ShellToken] = []
    private var word: [UInt8] = []
    private var hasWord = false
    private var isGlobbed = false
    private var target = Target.word
    /// The open quote, or 0 if there is none.
    private var quote: UInt8 = 0
    /// For each open nested command, the character that closes it and the quote around it.
    private var levels: [(closer: UInt8, outer: UInt8)] = []

    static func of(_ command: [UInt8]) -> [ShellToken] {
        var cutter = ShellTokens(command: command)
        return cutter.cut()
    }

    private init(command: [UInt8]) { self.command = command }

    private func byte(_ index: Int) -> UInt8 { index < command.count ? command[index] : 0 }

    private mutating func cut() -> [ShellToken] {
        var index = 0
        while index < command.count {
            index = takeQuoted(at: index) ?? takeNested(at: index) ?? takePlain(at: index)
        }
        if quote != 0 { tokens.append(.opaque) }
        endCommand()
        return tokens
    }

    /// Reads a quote, a backslash, or a character inside single quotes. Returns the next index, or `nil` if there is
    /// none of them.
    private mutating func takeQuoted(at index: Int) -> Int? {
        let character = command[index]
        if quote == UInt8(ascii: "'") {
            if character == quote { quote = 0 } else { word.append(character) }
            return index + 1
        }
        switch character {
        case UInt8(ascii: "\\"):
            if index + 1 < command.count, command[index + 1] != UInt8(ascii: "\n") { add(command[index + 1]) }
            // A backslash at the end of the command quotes nothing.
            if index + 1 == command.count { hasWord = true }
            return index + 2
        case UInt8(ascii: "\""):
            quote = quote == 0 ? character : 0
            hasWord = true
            return index + 1
        default: return nil
        }
    }

    /// Reads the beginning or end of a nested command, or the beginning of a variable.
    private mutating func takeNested(at index: Int) -> Int? {
        let character = command[index]
        if let level = levels.last, quote == 0, character == level.closer {
            endCommand()
            levels.removeLast()
            quote = level.outer
            hasWord = quote != 0
            return index + 1
        }
        let isSubstitution = character == UInt8(ascii: "$") && byte(index + 1) == UInt8(ascii: "(")
        let isGroup = character == UInt8(ascii: "(") && quote == 0
        if character == UInt8(ascii: "`") || isSubstitution || isGroup {
            if !isGroup { tokens.append(.opaque) }
            endCommand()
            // The nested command has its own quotes. The outer quote applies again after it.
            levels.append((character == UInt8(ascii: "`") ? character : UInt8(ascii: ")"), quote))
            quote = 0
            return index + (isSubstitution ? 2 : 1)
        }
        guard character == UInt8(ascii: "$") else { return nil }
        tokens.append(.opaque)
        add(character)
        return index + 1
    }

    private mutating func takePlain(at index: Int) -> Int {
        let character = command[index]
        if quote != 0 {
            word.append(character)
            return index + 1
        }
        switch character {
        case UInt8(ascii: "'"):
            quote = character
            hasWord = true
        case UInt8(ascii: " "), UInt8(ascii: "\t"), UInt8(ascii: "\r"): endWord()
        case UInt8(ascii: "#") where !hasWord:
            return command[index...].firstIndex(of: UInt8(ascii: "\n")) ?? command.count
        case UInt8(ascii: "<"), UInt8(ascii: ">"): return redirection(at: index)
        case UInt8(ascii: "&") where byte(index + 1) == UInt8(ascii: ">"): return redirection(at: index)
        case UInt8(ascii: ";"), UInt8(ascii: "|"), UInt8(ascii: "&"), UInt8(ascii: ")"), UInt8(ascii: "\n"):
            endCommand()
        default:
            if "*?[{".utf8.contains(character) { isGlobbed = true }
            add(character)
        }
        return index + 1
    }

    private mutating func add(_ character: UInt8) {
        word.append(character)
        hasWord = true
    }

    private mutating func clearWord() { (word, hasWord, isGlobbed) = ([], false, false) }

    private mutating func endWord() {
        defer { clearWord() }
        guard hasWord else { return }
        let isHidden = word.first == UInt8(ascii: ".") || word.firstRange(of: Array("/.".utf8)) != nil
        if isGlobbed, isHidden { tokens.append(.opaque) }
        switch target {
        case .word: tokens.append(.word(word))
        case .write: tokens.append(.write(word))
        case .read: tokens.append(.read(word))
        case .none: break
        }
        target = .word
    }

    private mutating func endCommand() {
        endWord()
        target = .word
        tokens.append(.end)
    }

    /// Reads an operator. Returns the index after it.
    private mutating func redirection(at index: Int) -> Int {
        // Digits before an operator are a file descriptor.
        if word.isEmpty || !word.allSatisfy(\.isDigit) { endWord() }
        clearWord()
        let rest = command[index..<min(index + 4, command.count)]
        func starts(_ text: StaticString) -> Bool { rest.starts(with: "\(text)".utf8) }
        if starts("<(") || starts(">(") {
            tokens.append(.opaque)
            return index + 1
        }
        if starts("<<") {
            tokens.append(.opaque)
            target = .none
            return index + (starts("<<<") || starts("<<-") ? 3 : 2)
        }
        if starts("<&") || starts(">&"), byte(index + 2).isDigit || byte(index + 2) == UInt8(ascii: "-") {
            return index + 3
        }
        let isRead = rest.first == UInt8(ascii: "<") && !starts("<>")
        target = isRead ? .read : .write
        let operators: [StaticString] = ["&>>", "&>", ">>", ">|", ">&", "<>", "<&"]
        return index + (operators.first(where: starts).map(\.utf8CodeUnitCount) ?? 1)
    }
}

extension UInt8 {
    var isDigit: Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(self) }
}

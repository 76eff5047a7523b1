/// The options of a program that do not change its risk, and the meaning of their values. Each is from an `options`
/// row.
struct OptionRules: Sendable {
    enum Mark: UInt8, Sendable {
        case flag = 0x2D  // -
        case value = 0x3A  // :
        case attachedValue = 0x3F  // ?
        case writtenFile = 0x3E  // >
        case filePattern = 0x25  // %
        case command = 0x21  // !
        case commandWords = 0x3B  // ;
        case runsNothing = 0x7E  // ~
    }

    private(set) var marks: [[UInt8]: Mark] = [:]
    /// Whether options that are not in the row are harmless.
    private(set) var allowsAny = false
    /// Whether an option is a word after one hyphen instead of letters.
    private(set) var areWords = false
    private(set) var endAtArgument = false
    private(set) var skipsFirst = false
    private(set) var allowsAssignments = false
    private(set) var isForProject = false
    private(set) var allowsDigits = false

    init() {}

    init(_ words: some Sequence<[UInt8]>) {
        for word in words {
            if word.count > 1, word[0] == UInt8(ascii: "-") {
                add(word)
            } else {
                note(String(decoding: word, as: UTF8.self))
            }
        }
        allowsDigits = marks[Array("-#".utf8)] != nil
    }

    private mutating func note(_ rule: String) {
        switch rule {
        case "any": allowsAny = true
        case "+": areWords = true
        case ".": endAtArgument = true
        case "1": skipsFirst = true
        case "=": allowsAssignments = true
        case "@": isForProject = true
        default: break
        }
    }

    private mutating func add(_ word: [UInt8]) {
        let found = word.last.flatMap(Mark.init(rawValue:)).flatMap { $0 == .flag ? nil : $0 }
        let option = found == nil ? word : word.dropLast()
        if areWords || option.starts(with: "--".utf8) {
            marks[option] = found ?? .flag
        } else {
            for letter in option.dropFirst() { marks[[UInt8(ascii: "-"), letter]] = found ?? .flag }
        }
    }
}

/// The words after a program, classified by its `options` row. `hooks/lib/options.awk` does the same.
struct ReadOptions {
    /// Indices of the arguments.
    var arguments: [Int] = []
    /// Values of options: files that the program writes, patterns of files, and commands that it runs.
    var files: [[UInt8]] = []
    var patterns: [[UInt8]] = []
    var commands: [[UInt8]] = []
    /// Ranges of words that form a command.
    var runs: [Range<Int>] = []
    /// Whether there is an option that is not in the row.
    var hasUnknown = false
    var runsNothing = false

    private let rules: OptionRules
    private let words: [[UInt8]]

    /// Classifies the words after the program at index `first`. In a prefix, the first argument begins the command.
    init(_ words: [[UInt8]], behind first: Int, _ rules: OptionRules?, isPrefix: Bool = false) {
        self.rules = rules ?? OptionRules()
        self.words = words
        var skips = self.rules.skipsFirst
        var isEnded = false
        var index = first + 1
        while index < words.count {
            let word = words[index]
            let text = ShellMark.unmarked(word)
            if isEnded || text.count < 2 || text[0] != UInt8(ascii: "-") {
                if isPrefix, precedesCommand(text) {
                    // Skipped.
                } else if skips {
                    skips = false
                } else {
                    arguments.append(index)
                    if isPrefix { return }
                    if self.rules.endAtArgument { isEnded = true }
                }
            } else if text == Array("--".utf8), !self.rules.areWords {
                isEnded = true
            } else if word.contains(ShellMark.unknown) || ShellMark.isPattern(word) {
                hasUnknown = true
            } else {
                takeOption(text, &index)
            }
            index += 1
        }
    }

    private func precedesCommand(_ text: [UInt8]) -> Bool {
        if text == [UInt8(ascii: "-")] { return true }
        let name = text.prefix(while: \.isNamePart)
        return rules.allowsAssignments && !name.isEmpty && !name[0].isDigit
            && text[name.endIndex...].first == UInt8(ascii: "=")
    }

    private mutating func takeOption(_ text: [UInt8], _ index: inout Int) {
        if rules.areWords { return take(text, nil, &index) }
        if text.starts(with: "--".utf8) {
            let name = text.prefix { $0 != UInt8(ascii: "=") }
            let value = name.endIndex < text.count ? Array(text[(name.endIndex + 1)...]) : nil
            return take(Array(name), value, &index)
        }
        if rules.allowsDigits, text.dropFirst().allSatisfy(\.isDigit) { return }
        for place in text.indices.dropFirst() {
            let name = [text[0], text[place]]
            switch rules.marks[name] {
            case nil, .flag, .runsNothing, .commandWords: take(name, [], &index)
            default:
                let value = Array(text[(place + 1)...])
                return take(name, value.isEmpty ? nil : value, &index)
            }
        }
    }

    /// Records an option, whose value may be the next word.
    private mutating func take(_ name: [UInt8], _ attached: [UInt8]?, _ index: inout Int) {
        guard let mark = rules.marks[name] else {
            if !rules.allowsAny { hasUnknown = true }
            return
        }
        switch mark {
        case .flag, .attachedValue: return
        case .runsNothing: runsNothing = true
        case .commandWords:
            let start = index + 1
            while index + 1 < words.count, !ReadOptions.isEnd(words[index + 1]) { index += 1 }
            runs.append(start..<(index + 1))
        case .value, .writtenFile, .filePattern, .command:
            var value = attached.map(ShellMark.quoted) ?? []
            if attached == nil, index + 1 < words.count {
                index += 1
                value = words[index]
            }
            switch mark {
            case .writtenFile: files.append(value)
            case .filePattern: patterns.append(ShellMark.unmarked(value))
            case .command: commands.append(ShellMark.unmarked(value))
            default: break
            }
        }
    }

    private static func isEnd(_ word: [UInt8]) -> Bool { word == [UInt8(ascii: ";")] || word == [UInt8(ascii: "+")] }
}

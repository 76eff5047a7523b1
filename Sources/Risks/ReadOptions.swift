/// The words after a program, classified by its `options` row. `hooks/lib/options.awk` does the same.
struct ReadOptions {
    private static let maximumSeparators = 4

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
    /// Indices of options after one hyphen, and whether they are arguments, too.
    private var groups: [Int] = []
    private var areGroupsArguments = false
    /// Indices of values that look like options.
    private var values: [Int] = []
    private var seenValues: Set<Int> = []
    private var isRereading = false

    /// Classifies the words after the program at index `first`. In a prefix, the first argument begins the command.
    init(_ words: [[UInt8]], behind first: Int, _ rules: OptionRules?, isPrefix: Bool = false) {
        self.rules = rules ?? OptionRules()
        self.words = words
        readWords(from: first + 1, isPrefix: isPrefix)
        if areGroupsArguments { arguments += groups }
        rereadValues()
        guard self.rules.areArgumentsCommands else { return }
        for argument in arguments { takeCommands(in: ShellMark.unmarked(words[argument])) }
        // The command may consist of the words after one of the first arguments.
        for argument in arguments.prefix(ReadOptions.maximumSeparators) {
            let rest = words[(argument + 1)...].map { [UInt8(ascii: " ")] + ShellMark.unmarked($0) }
            commands.append(Array(rest.joined()))
        }
    }

    private mutating func readWords(from start: Int, isPrefix: Bool) {
        var skips = rules.skipsFirst
        var isEnded = false
        var index = start
        while index < words.count {
            let text = ShellMark.unmarked(words[index])
            if isEnded || text.count < 2 || text[0] != UInt8(ascii: "-") {
                if isPrefix, precedesCommand(text) {
                    // Skipped.
                } else if skips {
                    skips = false
                } else {
                    arguments.append(index)
                    if isPrefix { return }
                    if rules.endAtArgument { isEnded = true }
                }
            } else if text == Array("--".utf8), !rules.areWords {
                isEnded = true
            } else {
                takeOption(&index)
            }
            index += 1
        }
    }

    /// Counts a value that looks like an option as one, too: versions of a program differ in which options take the
    /// next word.
    private mutating func rereadValues() {
        let runsNothing = runsNothing
        isRereading = true
        var next = 0
        while next < values.count {
            var index = values[next]
            takeOption(&index)
            next += 1
        }
        self.runsNothing = runsNothing
    }

    private func precedesCommand(_ text: [UInt8]) -> Bool {
        if text == [UInt8(ascii: "-")] { return true }
        let name = text.prefix(while: \.isNamePart)
        return rules.allowsAssignments && !name.isEmpty && !name[0].isDigit
            && text[name.endIndex...].first == UInt8(ascii: "=")
    }

    /// Parses the option at the index, and moves the index to the last word that it uses.
    private mutating func takeOption(_ index: inout Int) {
        let word = words[index]
        let text = ShellMark.unmarked(word)
        if word.contains(ShellMark.unknown) || ShellMark.isPattern(word) {
            hasUnknown = true
            return
        }
        if rules.areWords { return take(text, nil, &index) }
        if text.starts(with: "--".utf8) {
            let name = text.prefix { $0 != UInt8(ascii: "=") }
            let value = name.endIndex < text.count ? Array(text[(name.endIndex + 1)...]) : nil
            return take(Array(name), value, &index)
        }
        if rules.allowsDigits, text.dropFirst().allSatisfy(\.isDigit) { return }
        groups.append(index)
        for place in text.indices.dropFirst() {
            let name = [text[0], text[place]]
            guard let mark = rules.marks[name], mark.takesValue || mark == .attachedValue else {
                take(name, [], &index)
                continue
            }
            let value = Array(text[(place + 1)...])
            if rules.areValuesApart, !value.allSatisfy(\.isDigit) { hasUnknown = true }
            return take(name, value.isEmpty ? nil : value, &index)
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
        case .makesArguments: areGroupsArguments = true
        case .commandWords where isRereading: hasUnknown = true
        case .commandWords:
            let start = index + 1
            while index + 1 < words.count, !isEnd(index + 1) { index += 1 }
            runs.append(start..<(index + 1))
        case .value, .anyValue, .writtenFile, .filePattern, .command, .namedCommand:
            var value = attached.map(ShellMark.quoted) ?? []
            if attached == nil, index + 1 < words.count {
                index += 1
                value = words[index]
                if mark != .anyValue, isOptional(value), seenValues.insert(index).inserted { values.append(index) }
            }
            keep(value, mark)
        }
    }

    private mutating func keep(_ value: [UInt8], _ mark: OptionRules.Mark) {
        switch mark {
        case .writtenFile: files.append(value)
        case .filePattern: patterns.append(ShellMark.unmarked(value))
        case .command: commands.append(ShellMark.unmarked(value))
        case .namedCommand: takeCommands(in: ShellMark.unmarked(value))
        default: break
        }
    }

    /// Takes the text if it consists of several words, and what it contains after each of its first separators.
    private mutating func takeCommands(in text: [UInt8]) {
        if text.contains(where: { $0.isOne(of: .whites) }) { commands.append(text) }
        var rest = text[...]
        for _ in 0..<ReadOptions.maximumSeparators {
            guard let start = rest.firstIndex(where: { $0.isOne(of: .commandSeparators) }) else { return }
            rest = rest[start...].drop { $0.isOne(of: .commandSeparators) }
            commands.append(Array(rest))
        }
    }

    /// Whether a value looks like an option, and not like a number or a single hyphen.
    private func isOptional(_ word: [UInt8]) -> Bool {
        let text = ShellMark.unmarked(word).dropFirst()
        guard word.first == UInt8(ascii: "-"), let next = text.first else { return false }
        if rules.areWords { return next.isLetter && text.allSatisfy { $0.isLetter || $0.isDigit } }
        return next == UInt8(ascii: "-") ? text.count > 1 : !next.isDigit && next != UInt8(ascii: ".")
    }

    /// Whether the words that are a command end at the index: before `;`, or before `+` after `{}`.
    private func isEnd(_ index: Int) -> Bool {
        if words[index] == [UInt8(ascii: ";")] { return true }
        return words[index] == [UInt8(ascii: "+")] && ShellMark.unmarked(words[index - 1]) == Array("{}".utf8)
    }
}

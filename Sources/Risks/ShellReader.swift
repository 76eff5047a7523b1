/// Parses a shell command as bash does, as far as its text allows. `hooks/lib/shell.awk` does the same.
///
/// The commands of a substitution come before the command that contains it. The time is proportional to the length of
/// the command times the number of nested levels.
package struct ShellReader {
    /// The maximum depth of nested substitutions, arrays and `${` expansions.
    private static let maximumLevels = 40

    /// The simple command that is being read, and the state of its compound commands.
    struct Frame {
        var words: [[UInt8]] = []
        /// Whether a reserved word may follow.
        var leads = true
        /// The last reserved word or option of `time`, and the number of words since then.
        var opener: [UInt8] = []
        var counted = 0
        /// Number of open `case` commands.
        var cases = 0
        /// Whether a pattern of a `case` is being read.
        var isNaming = false
        /// Whether the next word may be a file that is written to.
        var clobbers = false
        /// Whether the words of `[[` are being read.
        var isTesting = false
        /// Whether the next word follows `|` or `|&`. There, `time` is a program.
        var isPiped = false
    }

    struct HereDocument {
        var end: [UInt8]
        var stripsTabs: Bool
        var isQuoted: Bool
    }

    var source: [UInt8]
    var at = 0
    /// Whether the last word has neither quotes nor expansions.
    var isBare = true
    var frames: [Frame] = []
    private var levels = 0
    var documents: [HereDocument] = []
    /// Number of open substitutions in parentheses.
    var substitutions = 0
    /// Number of open backquotes.
    var backquotes = 0
    /// Number of parts so far that bash writes with other parentheses than they have.
    var rewritten = 0
    /// Number of open `((`.
    var parentheses = 0
    /// Whether a part was not read.
    private(set) var isUnread = false
    var tokens: [ShellToken] = []

    package static func tokens(of command: [UInt8]) -> [ShellToken] {
        var reader = ShellReader(source: ShellMark.replacingMarks(in: command))
        if reader.source != command { reader.tokens.append(.opaque) }
        reader.readCommands(until: nil)
        return reader.tokens
    }

    private init(source: [UInt8]) { self.source = source }

    func byte(_ offset: Int = 0) -> UInt8? { at + offset < source.count ? source[at + offset] : nil }

    /// Returns the index of the first character from the index on that bash does not remove. Before bash looks at the
    /// next character, it removes a backslash at the end of a line, and the end.
    func ahead(_ index: Int) -> Int {
        var index = index
        while index + 1 < source.count, source[index] == UInt8(ascii: "\\"), source[index + 1] == UInt8(ascii: "\n") {
            index += 2
        }
        return index
    }

    /// The character after the one at the index.
    func after(_ index: Int) -> UInt8? {
        let next = ahead(index + 1)
        return next < source.count ? source[next] : nil
    }

    /// Enters a level.
    mutating func descend() {
        levels += 1
        if levels > ShellReader.maximumLevels { leaveUnread() }
    }

    mutating func leaveUnread() {
        tokens.append(.unread)
        isUnread = true
        at = source.count
    }

    mutating func ascend() { levels -= 1 }

    mutating func markOpaque() { tokens.append(.opaque) }

    /// Reads commands up to, but not including, a closing parenthesis, or up to the end.
    mutating func readCommands(until closer: UInt8?) {
        frames.append(Frame())
        descend()
        while let character = byte() {
            let next = character == UInt8(ascii: "\\") ? nil : after(at)
            if character.isBlank {
                at += 1
            } else if ahead(at) > at {
                at = ahead(at)
            } else if character == UInt8(ascii: "#") {
                skipComment()
            } else if next == UInt8(ascii: "("), character.isOne(of: .angles) {
                takeWord()
            } else if frame.isTesting, character.isOne(of: .testSeparators) {
                at += 1
            } else if character == closer, frame.cases == 0 {
                break
            } else if character == UInt8(ascii: "&") && next == UInt8(ascii: ">") || character.isOne(of: .angles) {
                takeRedirection()
            } else if character.isOne(of: .separators) {
                takeSeparator(character)
            } else if character == UInt8(ascii: "(") {
                takeGroup()
            } else {
                takeWord()
            }
        }
        endCommand()
        frames.removeLast()
        ascend()
    }

    private var frame: Frame {
        get { frames[frames.count - 1] }
        _modify { yield &frames[frames.count - 1] }
    }

    mutating func skipComment() {
        if backquotes > 0 { rewritten += 1 }
        while let character = byte(), character != UInt8(ascii: "\n") { at += 1 }
    }

    private mutating func endCommand() {
        if !frame.words.isEmpty {
            for word in frame.words { tokens.append(.word(word)) }
            tokens.append(.end)
        }
        (frame.words, frame.leads, frame.opener, frame.counted, frame.clobbers) = ([], true, [], 0, false)
    }

    private mutating func takeSeparator(_ character: UInt8) {
        // A line may end before the `in` of a `case`.
        let isHead = frame.counted == 2 && ReservedWord(frame.opener) == .case
        if character != UInt8(ascii: "\n") || !isHead { endCommand() }
        // In a `case`, the text after ;; or ;& up to the next ) is a pattern.
        if character.isOne(of: .joins) {
            let isDouble = character == UInt8(ascii: ";") && after(at)?.isOne(of: .joins) == true
            frame.isNaming = frame.cases > 0 && (frame.isNaming || isDouble)
        }
        if character == UInt8(ascii: ")") { frame.isNaming = false }
        switch character {
        case UInt8(ascii: "|"): frame.isPiped.toggle()
        case UInt8(ascii: "&"), UInt8(ascii: "\n"): break
        default: frame.isPiped = false
        }
        at += 1
        if character == UInt8(ascii: "\n") { readHereDocuments() }
    }

    /// Reads what an opening parenthesis begins: arithmetic, a subshell, or the parentheses after a function's name or
    /// a pattern.
    private mutating func takeGroup() {
        frame.isPiped = false
        let isFor = frame.opener == Array("for".utf8)
        let isDouble = (frame.leads || isFor) && after(at) == UInt8(ascii: "(")
        defer { if isDouble { parentheses -= 1 } }
        if isDouble, readArithmeticCommand() {
            if isFor { endCommand() }
            return
        }
        if !frame.words.isEmpty, !frame.leads { markOpaque() }
        endCommand()
        at += 1
        readNested()
        frame.isNaming = false
    }

    /// Reads commands and the parenthesis that closes them.
    mutating func readNested() {
        readCommands(until: UInt8(ascii: ")"))
        if at >= source.count { markOpaque() }
        at += 1
    }

    /// Reads the commands of a substitution and the parenthesis that closes them.
    mutating func readSubstitution() {
        substitutions += 1
        readNested()
        substitutions -= 1
    }

    private mutating func takeWord() {
        let word = readWord()
        if byte()?.isOne(of: .angles) == true, after(at) != UInt8(ascii: "("), takeDescriptor(word) { return }
        let endsTest = frame.isTesting && isBare && word == Array("]]".utf8)
        if endsTest { frame.isTesting = false } else if !frame.isTesting { reserve(word) }
        frame.isPiped = false
        frame.counted += 1
        if frame.clobbers { takeFile(word, isRead: false) }
        frame.clobbers = false
        let made = BraceExpansion(of: word)
        if !made.isCertain { markOpaque() }
        frame.words += made.words
        // A reserved word may follow ]].
        if endsTest { endCommand() }
    }

    /// Records what a reserved word means for the words after it.
    private mutating func reserve(_ word: [UInt8]) {
        guard isBare, let reserved = ReservedWord(word) else {
            // A reserved word may follow the options of `time`.
            frame.leads = isBare && frame.leads && ShellReader.isTimeOption(word, after: frame.opener)
            if frame.leads { frame.opener = word }
            return
        }
        let opener = ReservedWord(frame.opener)
        if opener == .function || opener == .coproc, reserved.isOpener, frame.counted <= 2 { endCommand() }
        let isLoop = opener == .for || opener == .select
        if isLoop, frame.counted == 2, reserved == .do || reserved == .brace { endCommand() }
        if reserved == .esac, frame.leads || opener == .case && frame.counted == 3 {
            if !frame.leads { endCommand() }
            frame.cases = max(0, frame.cases - 1)
            frame.isNaming = false
            return
        }
        guard frame.leads, !frame.isNaming, !(frame.isPiped && reserved == .time) else {
            frame.leads = false
            return
        }
        if reserved == .case {
            rewritten += 1
            frame.cases += 1
            frame.isNaming = true
        }
        // In zsh, `time` has no options, so [[ is a word after them.
        frame.isTesting = reserved == .test && frame.opener.first != UInt8(ascii: "-")
        (frame.leads, frame.opener, frame.counted) = (!reserved.namesWords, word, 0)
    }

    private static func isTimeOption(_ word: [UInt8], after opener: [UInt8]) -> Bool {
        switch String(decoding: word, as: UTF8.self) {
        case "-p": ReservedWord(opener) == .time
        case "--": ReservedWord(opener) == .time || opener == Array("-p".utf8)
        default: false
        }
    }

    mutating func noteRedirection() { frame.leads = false }

    /// Records the file of an operator. In zsh, the file stands after `>!`.
    mutating func takeWritten(_ word: [UInt8]) {
        takeFile(word, isRead: false)
        guard word.first == UInt8(ascii: "!") else {
            frame.clobbers = false
            return
        }
        if word.count > 1 { takeFile(Array(word.dropFirst()), isRead: false) }
        frame.clobbers = word.count == 1
    }
}

/// A reserved word of bash.
private enum ReservedWord: String {
    case `if`, then, `else`, elif, fi, `while`, until, `do`, done, time, `case`, esac, `for`, select, function, coproc
    case not = "!"
    case brace = "{"
    case closingBrace = "}"
    case test = "[["

    init?(_ word: [UInt8]) {
        guard word.count <= 8 else { return nil }
        self.init(rawValue: String(decoding: word, as: UTF8.self))
    }

    /// Whether it begins a compound command.
    var isOpener: Bool {
        switch self {
        case .brace, .if, .while, .until, .for, .case, .select, .test: true
        default: false
        }
    }

    /// Whether the words after it are not a command.
    var namesWords: Bool {
        switch self {
        case .case, .test, .for, .select, .function, .coproc: true
        default: false
        }
    }
}

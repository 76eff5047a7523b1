internal import EventModel

/// Determines the risk of a shell command. `hooks/lib/commands.awk` does the same on the machine.
struct CommandRisk {
    private static let maximumBytes = 32_768
    /// Maximum bytes of a command and its nested commands together. An argument that is part of several nested commands
    /// counts once for each.
    private static let maximumBytesRead = 8 * maximumBytes
    /// Maximum number of paths. A path counts once for each directory in which it is judged, and once more for each
    /// 256 bytes.
    private static let maximumPaths = 4096
    /// A pattern that names a program counts as so many paths.
    private static let pathsOfProgram = 128
    /// Maximum number of nested programs.
    private static let maximumDepth = 3
    private static let harmlessFiles = ["null", "stdout", "stderr", "tty"].map { Array("/dev/\($0)".utf8) }

    let table: RiskTable
    private(set) var directories: WorkingDirectories
    /// The highest risk so far.
    private(set) var risk = ToolRisk.read
    /// Whether `cd` adds directories.
    private var mayMove = true
    private var paths = 0
    private var bytesRead = 0
    /// Number of programs so far that run their arguments.
    private var shells = 0

    init(table: RiskTable, directories: WorkingDirectories) {
        (self.table, self.directories) = (table, directories)
    }

    mutating func raise(to other: ToolRisk?) {
        if let other, other > risk { risk = other }
    }

    mutating func judge(_ command: [UInt8], depth: Int = 0) {
        bytesRead += command.count
        guard command.count <= CommandRisk.maximumBytes, bytesRead <= CommandRisk.maximumBytesRead,
            depth <= CommandRisk.maximumDepth
        else { return raise(to: .highest) }
        let tokens = ShellReader.tokens(of: command)
        let (before, known) = (shells, directories.places.count)
        judge(tokens, depth: depth)
        // In a loop or a function, a `cd` can change the directory of the commands before it.
        if directories.places.count > known {
            let outer = mayMove
            mayMove = false
            judge(tokens, depth: depth)
            mayMove = outer
        }
        guard shells > before else { return }
        for case .text(let text) in tokens { judge(text, depth: depth + 1) }
    }

    private mutating func judge(_ tokens: [ShellToken], depth: Int) {
        var words: [[UInt8]] = []
        for token in tokens where risk < .highest {
            switch token {
            case .word(let word): words.append(word)
            case .opaque: raise(to: .execute)
            case .unread: raise(to: .highest)
            case .read(let path):
                judgeWord(path)
                judgeSubscripts(path, depth: depth)
            case .write(let path): judgeWrite(path)
            case .text: break
            case .end:
                judge(words, depth: depth)
                words = []
            }
        }
    }

    mutating func judgePath(_ path: [UInt8], isWritten: Bool, matchesDot: Bool = false) {
        for place in directories.plain(path) {
            paths += 1 + path.count / 256
            if paths > CommandRisk.maximumPaths { return raise(to: .highest) }
            raise(to: table.risk(ofPlain: place, isWritten: isWritten, matchesDot: matchesDot))
        }
    }

    private mutating func judgeWrite(_ path: [UInt8]) {
        if CommandRisk.harmlessFiles.contains(path) { return }
        raise(to: directories.isInside(path) ? .edit : .execute)
        judgePath(path, isWritten: true)
    }

    /// Judges each path that a word may contain: the whole word, the part after the letters of an option, and the parts
    /// between `=`, `:`, `@` and `,`.
    private mutating func judgeWord(_ word: [UInt8]) {
        judgePath(word, isWritten: false)
        if word.first == UInt8(ascii: "-"), let start = word.firstIndex(where: { $0.isOne(of: .pathStarts) }) {
            judgePath(Array(word[start...]), isWritten: false)
        }
        let parts = word.split(omittingEmptySubsequences: false) { $0.isOne(of: .pathSeparators) }
        guard parts.count > 1 else { return }
        for part in parts {
            let path = part.last == ShellMark.quote ? part.dropLast() : part
            if !path.isEmpty { judgePath(Array(path), isWritten: false) }
        }
    }

    /// Judges a simple command, also as if each of its expansions were empty: `$x rm a` can be `rm a`. A word with a
    /// slash stays as it is.
    private mutating func judge(_ words: [[UInt8]], depth: Int) {
        guard depth <= CommandRisk.maximumDepth else { return raise(to: .highest) }
        var rest: [[UInt8]] = []
        for word in words where risk < .highest {
            judgeWord(word)
            guard word.contains(ShellMark.unknown), !word.contains(UInt8(ascii: "/")) else {
                rest.append(word)
                continue
            }
            let known = word.filter { $0 != ShellMark.unknown }
            if known.isEmpty { continue }
            judgeWord(known)
            rest.append(known)
        }
        if !rest.isEmpty, rest != words {
            let outer = mayMove
            mayMove = false
            run(rest, depth: depth)
            mayMove = outer
        }
        run(words, depth: depth)
    }

    /// Skips programs that only the shell knows and that can be empty.
    private mutating func skipUnknown(_ words: [[UInt8]], _ first: inout Int) {
        while first + 1 < words.count, !words[first].isEmpty, words[first].allSatisfy({ $0 == ShellMark.unknown }) {
            raise(to: .execute)
            first += 1
        }
    }

    private mutating func run(_ words: [[UInt8]], depth: Int) {
        var first = 0
        while first < words.count, Assignment.end(words[first]) != nil {
            raise(to: .execute)
            judgeSubscripts(words[first], depth: depth)
            first += 1
        }
        guard first < words.count else { return }
        skipUnknown(words, &first)
        while let risk = table.prefixes[CommandRisk.program(words[first])] {
            let program = CommandRisk.program(words[first])
            raise(to: risk)
            let read = ReadOptions(words, behind: first, table.options[program], isPrefix: true)
            judge(read, words, depth: depth)
            if read.runsNothing || read.arguments.isEmpty && !read.commands.isEmpty { return }
            // Without a command, some programs print data, for example all variables.
            guard let next = read.arguments.first else { return raise(to: table.alone[program]) }
            first = next
            skipUnknown(words, &first)
        }
        if ShellMark.isPattern(words[first]) { return judgeMatching(words[first...], depth: depth) }
        var program = CommandRisk.program(words[first])
        if let slash = program.lastIndex(of: UInt8(ascii: "/")) {
            raise(to: .execute)
            program = Array(program[(slash + 1)...])
        }
        if program == Array("cd".utf8) || program == Array("pushd".utf8) { move(words[(first + 1)...]) }
        guard let runs = table.runners[program] else { return judge(program, words, first, depth: depth) }
        shells += 1
        raise(to: runs)
        judgeArguments(of: program, words, first, depth: depth)
    }

    /// Judges the command with each program of the table that its first word, a pattern, can match by at least one of
    /// its letters.
    private mutating func judgeMatching(_ words: ArraySlice<[UInt8]>, depth: Int) {
        raise(to: .execute)
        paths += CommandRisk.pathsOfProgram
        if paths > CommandRisk.maximumPaths { return raise(to: .highest) }
        guard let word = words.first else { return }
        let pattern = PathPattern([UInt8(ascii: "/")] + word.map { $0.isLetter ? $0 | 32 : $0 })
        for program in table.programs where risk < .highest && pattern.endsInLetters(of: program) {
            run([program] + words.dropFirst(), depth: depth)
        }
    }

    /// Judges the files that the options write, the patterns that they read and the commands that they run.
    private mutating func judge(_ read: ReadOptions, _ words: [[UInt8]], depth: Int) {
        for file in read.files { judgeWrite(file) }
        for pattern in read.patterns { judgePatterns(pattern, below: nil) }
        for command in read.commands where risk < .highest { judge(command, depth: depth + 1) }
        for run in read.runs where risk < .highest {
            raise(to: .execute)
            judge(Array(words[run]), depth: depth + 1)
        }
    }

    private mutating func move(_ words: ArraySlice<[UInt8]>) {
        guard mayMove else { return }
        let targets = words.filter { $0.count < 2 || $0[0] != UInt8(ascii: "-") }
        let isKnown = targets.count < 2 && targets.last != [UInt8(ascii: "-")]
        directories.move(to: isKnown ? targets.last ?? [UInt8(ascii: "~")] : [ShellMark.unknown])
    }

    /// Judges the command that a program runs. The command can be all arguments of the program, one of them, or those
    /// after the first (a host, a user).
    private mutating func judgeArguments(of program: [UInt8], _ words: [[UInt8]], _ first: Int, depth: Int) {
        var read = ReadOptions(words, behind: first, table.options[program])
        let arguments = read.arguments.map { ShellMark.unmarked(words[$0]) }
        for given in [arguments[...], arguments.dropFirst()] where !given.isEmpty {
            read.commands.append([UInt8(ascii: " ")] + given.joined(separator: [UInt8(ascii: " ")]))
        }
        for word in words[(first + 1)...] where word.contains(where: { $0.isOne(of: .whites) }) {
            if word.first != UInt8(ascii: "-") { read.commands.append(ShellMark.unmarked(word)) }
        }
        judge(read, words, depth: depth)
    }

    /// Looks the program up in the table of commands.
    private mutating func judge(_ program: [UInt8], _ words: [[UInt8]], _ first: Int, depth: Int) {
        let subcommand = first + 1 < words.count ? ShellMark.unmarked(words[first + 1]) : nil
        let rules = table.options(of: program, subcommand)
        let read = ReadOptions(words, behind: first, rules)
        let texts = words[(first + 1)...].map(ShellMark.unmarked)
        let arguments = read.arguments.map { ShellMark.unmarked(words[$0]) }
        let rows = (table.commands[program] ?? []).filter { CommandRisk.matches($0, texts, arguments) }
        let found = rows.map(\.risk).max()
        raise(to: found ?? .execute)
        if let rules {
            judge(read, words, rules, isEdit: found == .edit, depth: depth)
        } else if (found ?? .read) <= .edit {
            raise(to: .execute)
        }
        for text in table.texts[program] ?? [] where texts.contains(where: { CommandRisk.holds($0, text.name) }) {
            raise(to: text.risk)
        }
        if table.evaluators.contains(program) {
            for text in texts where risk < .highest { judgeSubscripts(text, depth: depth) }
        }
        for search in table.searches[program] ?? [] { judge(search, texts, read.arguments.map { words[$0] }) }
    }

    /// Judges a command by the options of its program.
    private mutating func judge(
        _ read: ReadOptions,
        _ words: [[UInt8]],
        _ rules: OptionRules,
        isEdit: Bool,
        depth: Int
    ) {
        if read.hasUnknown { raise(to: .execute) }
        judge(read, words, depth: depth)
        if rules.isForProject {
            if !directories.isInside([UInt8(ascii: ".")]) { raise(to: .execute) }
            for argument in read.arguments where risk < .highest { judgePathspec(words[argument]) }
        }
        guard isEdit else { return }
        for argument in read.arguments {
            judgePath(words[argument], isWritten: true)
            if !directories.isInside(words[argument]) { raise(to: .execute) }
        }
    }
}

internal import EventModel

/// Determines the risk of shell commands. `hooks/lib/risk.awk` does the same on the machine.
struct CommandRisk {
    private static let maximumBytes = 32_768
    /// Maximum number of nested programs.
    private static let maximumDepth = 3
    private static let systemDirectories = [
        "/bin/", "/sbin/", "/usr/bin/", "/usr/sbin/", "/usr/local/bin/", "/opt/homebrew/bin/",
    ].map { Array($0.utf8) }

    let table: RiskTable
    let project: ProjectDirectory

    func risk(of command: [UInt8], depth: Int = 0) -> ToolRisk {
        guard command.count <= CommandRisk.maximumBytes, depth <= CommandRisk.maximumDepth else { return .highest }
        let tokens = ShellTokens.of(command)
        let moves = tokens.contains(.word(Array("cd".utf8)))
        var risk = ToolRisk.read
        var words: [[UInt8]] = []
        for token in tokens {
            switch token {
            case .word(let word): words.append(word)
            case .opaque: risk = max(risk, .execute)
            case .read(let path): risk = max(risk, table.risk(ofPath: path, isWritten: false) ?? risk)
            case .write(let path): risk = max(risk, self.risk(ofWritingTo: path, moves: moves))
            case .end:
                if !words.isEmpty { risk = max(risk, self.risk(of: words, depth: depth, moves: moves)) }
                words = []
            }
        }
        return risk
    }

    private func risk(ofWritingTo path: [UInt8], moves: Bool) -> ToolRisk {
        if path == Array("/dev/null".utf8) { return .read }
        let isOutside = !project.contains(path) || moves && path.first != UInt8(ascii: "/")
        return max(isOutside ? .execute : .edit, table.risk(ofPath: path, isWritten: true) ?? .read)
    }

    /// The risk of a simple command.
    private func risk(of words: [[UInt8]], depth: Int, moves: Bool) -> ToolRisk {
        var risk = words.compactMap { table.risk(ofPath: $0, isWritten: false) }.max() ?? .read
        var rest = words[...]
        while let first = rest.first, CommandRisk.isAssignment(first, adding: true) {
            risk = max(risk, .execute)
            rest.removeFirst()
        }
        var program: [UInt8] = []
        while let first = rest.first {
            program = CommandRisk.program(first)
            guard let row = table.prefixes.first(where: { $0.matches(program) }) else { break }
            risk = max(risk, row.risk)
            while rest.count > 1, CommandRisk.isOption(rest[rest.startIndex + 1]) { rest.removeFirst() }
            rest.removeFirst()
        }
        guard let first = rest.first else { return risk }
        if first.contains(UInt8(ascii: "/")), first == program { risk = max(risk, .execute) }
        if let slash = program.lastIndex(of: UInt8(ascii: "/")) { program = Array(program[(slash + 1)...]) }
        let arguments = Array(rest.dropFirst())
        guard let row = table.runners.first(where: { $0.matches(program) }) else {
            return max(risk, self.risk(of: program, arguments, moves: moves))
        }
        return max(risk, row.risk, self.risk(ofRunning: arguments, depth: depth))
    }

    /// The risk of the command that a program runs. The command can be all arguments of the program, one of them, or
    /// those after the first (a host, a user).
    private func risk(ofRunning arguments: [[UInt8]], depth: Int) -> ToolRisk {
        let given = arguments.filter { $0.first != UInt8(ascii: "-") }
        let white: [UInt8] = [UInt8(ascii: " "), UInt8(ascii: "\t"), UInt8(ascii: "\n")]
        var commands = given.filter { $0.contains { white.contains($0) } }
        let space = [UInt8(ascii: " ")]
        if !given.isEmpty { commands.append(Array(given.joined(separator: space))) }
        if given.count > 1 { commands.append(Array(given.dropFirst().joined(separator: space))) }
        return commands.map { risk(of: $0, depth: depth + 1) }.max() ?? .read
    }

    /// Looks the program up in the table of commands.
    private func risk(of program: [UInt8], _ arguments: [[UInt8]], moves: Bool) -> ToolRisk {
        let rows = table.commands.filter { $0.matches(program) && CommandRisk.matches($0, arguments) }
        guard let found = rows.map(\.risk).max() else { return .execute }
        guard found == .edit else { return found }
        var risk = found
        for argument in arguments where argument.first != UInt8(ascii: "-") {
            risk = max(risk, table.risk(ofPath: argument, isWritten: true) ?? risk)
            if moves || !project.contains(argument) { risk = max(risk, .execute) }
        }
        return risk
    }

    private static func matches(_ row: RiskTable.Row, _ arguments: [[UInt8]]) -> Bool {
        let isInPlace = row.risk <= .edit
        var next = 0
        for (place, word) in row.words.dropFirst().enumerated() {
            if word.isOption {
                guard arguments.contains(where: word.matches) else { return false }
            } else if isInPlace {
                guard place < arguments.count, word.matches(arguments[place]) else { return false }
            } else {
                guard let found = arguments[next...].firstIndex(where: word.matches) else { return false }
                next = found + 1
            }
        }
        return true
    }

    /// Returns the name of a program in one of the system's directories, and any other word unchanged.
    private static func program(_ word: [UInt8]) -> [UInt8] {
        guard let directory = systemDirectories.first(where: { word.starts(with: $0) }) else { return word }
        let name = Array(word.dropFirst(directory.count))
        return name.contains(UInt8(ascii: "/")) ? word : name
    }

    private static func isAssignment(_ word: [UInt8], adding: Bool) -> Bool {
        let name = word.prefix { isNamePart($0) }
        guard let first = name.first, !first.isDigit else { return false }
        let rest = word[name.endIndex...]
        return rest.first == UInt8(ascii: "=") || adding && rest.starts(with: "+=".utf8)
    }

    private static func isNamePart(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: "_") || byte.isDigit || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 32)
    }

    /// Whether the word is an option, a number or an assignment. They may stand between a wrapper and its command.
    private static func isOption(_ word: [UInt8]) -> Bool {
        if word.first == UInt8(ascii: "-") || isAssignment(word, adding: false) { return true }
        let number = word.prefix { $0.isDigit || $0 == UInt8(ascii: ".") }
        let unit = word[number.endIndex...]
        return !number.isEmpty && (unit.isEmpty || unit.count == 1 && "smhd".utf8.contains(unit[unit.startIndex]))
    }
}

internal import EventModel

/// The rows of `hooks/risk.tsv`, whose header describes them. The hooks on a machine read the same file.
package struct RiskTable: Sendable {
    struct Row: Sendable {
        var risk: ToolRisk
        /// The words of the pattern after the program. A pattern that is not for commands has one word.
        var words: [RiskPattern]

        func matches(_ subject: [UInt8]) -> Bool { words.first?.matches(subject) ?? false }
    }

    /// A `searches` row.
    struct Search: Sendable {
        /// Whether the first argument is the text for which the program searches.
        var takesText: Bool
        /// The word without which the program reads no directories.
        var word: RiskPattern?
    }

    private(set) var tools: [Row] = []
    private(set) var shells: [Row] = []
    private(set) var paths: [Row] = []
    private(set) var written: [Row] = []
    /// The programs that evaluate their arguments as numbers.
    private(set) var evaluators: Set<[UInt8]> = []
    /// Directories that hold credentials.
    private(set) var searched: [Row] = []
    /// The programs and tools that read all files of a directory.
    private(set) var searches: [[UInt8]: [Search]] = [:]
    private(set) var prefixes: [[UInt8]: ToolRisk] = [:]
    /// The risk of a prefix without a command.
    private(set) var alone: [[UInt8]: ToolRisk] = [:]
    private(set) var runners: [[UInt8]: ToolRisk] = [:]
    private(set) var commands: [[UInt8]: [Row]] = [:]
    private(set) var texts: [[UInt8]: [(risk: ToolRisk, name: [UInt8])]] = [:]
    /// The keys are a program, or a program, a space and a subcommand.
    private(set) var options: [[UInt8]: OptionRules] = [:]

    /// The table that was built into this program.
    package static let shipped = RiskTable(PackageResources.risk_tsv) ?? RiskTable()

    private init() {}

    /// Returns `nil` if a row is malformed.
    package init?(_ text: [UInt8]) {
        for line in text.split(separator: UInt8(ascii: "\n")) where line.first != UInt8(ascii: "#") {
            let fields = line.split(separator: UInt8(ascii: "\t"), omittingEmptySubsequences: false)
            guard fields.count == 3, let risk = ToolRisk(rawValue: String(decoding: fields[0], as: UTF8.self)),
                add(risk, to: String(decoding: fields[1], as: UTF8.self), Array(fields[2]))
            else { return nil }
        }
    }

    private mutating func add(_ risk: ToolRisk, to place: String, _ pattern: [UInt8]) -> Bool {
        let words = pattern.split(separator: UInt8(ascii: " ")).map(Array.init)
        guard let program = words.first else { return false }
        let row = Row(risk: risk, words: [RiskPattern(pattern)])
        switch place {
        case "tool": tools.append(row)
        case "shell": shells.append(row)
        case "path": paths.append(row)
        case "written": written.append(row)
        case "evaluates": evaluators.insert(pattern)
        case "searched": searched.append(row)
        case "searches":
            let takesText = words.count > 1 && words[1] == [UInt8(ascii: "1")]
            let word = words.dropFirst(takesText ? 2 : 1).last.map { RiskPattern($0) }
            searches[program, default: []].append(Search(takesText: takesText, word: word))
        case "prefix": prefixes[pattern] = risk
        case "alone": alone[pattern] = risk
        case "runs": runners[pattern] = risk
        case "command":
            let rest = words.dropFirst().map { RiskPattern($0) }
            commands[program, default: []].append(Row(risk: risk, words: rest))
        case "text":
            guard words.count == 2 else { return false }
            texts[program, default: []].append((risk, words[1]))
        case "options":
            guard let colon = words.firstIndex(of: [UInt8(ascii: ":")]), colon > 0 else { return false }
            let key = Array(words[..<colon].joined(separator: [UInt8(ascii: " ")]))
            options[key] = OptionRules(words[(colon + 1)...])
        default: return false
        }
        return true
    }

    /// Returns the options of the subcommand if the table has a row for it, else those of the program.
    /// The names of the programs that have a row.
    var programs: Set<[UInt8]> { Set(prefixes.keys).union(runners.keys).union(commands.keys) }

    func options(of program: [UInt8], _ subcommand: [UInt8]?) -> OptionRules? {
        let own = subcommand.flatMap { $0.isEmpty ? nil : options[program + [UInt8(ascii: " ")] + $0] }
        return own ?? options[program]
    }

    private static func lowercased(_ path: [UInt8]) -> [UInt8] {
        path.map { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) ? $0 + 32 : $0 }
    }

    /// Returns the risk of reading all files below a normalized path; `nil` if no row matches.
    func risk(ofSearched path: [UInt8]) -> ToolRisk? {
        let path = RiskTable.lowercased(path)
        let parts = PathPattern(path.first == UInt8(ascii: "/") ? path : [UInt8(ascii: "/")] + path)
        return searched.filter { $0.words.contains { $0.isExactly(path) || parts.canBe($0) } }.map(\.risk).max()
    }

    /// Whether the rows name the file at an absolute, normalized path as one that holds credentials.
    package func isSecret(_ path: [UInt8]) -> Bool {
        let path = RiskTable.lowercased(path)
        return paths.first { $0.matches(path) }?.risk == .credentials
    }

    /// Returns the risk of a normalized path; `nil` if no row matches.
    func risk(ofPlain path: [UInt8], isWritten: Bool, matchesDot: Bool) -> ToolRisk? {
        var path = RiskTable.lowercased(path)
        let slash = UInt8(ascii: "/")
        if path.first == ShellMark.unknown, path.count > 1, path[1] == slash { path.removeFirst() }
        if path.first != slash { path.insert(slash, at: 0) }
        let places = isWritten ? [written, paths] : [paths]
        if ShellMark.isPattern(path) {
            let pattern = PathPattern(path, matchesDot: matchesDot)
            return places.joined().filter { row in row.words.contains { pattern.canMatch($0) } }.map(\.risk).max()
        }
        path = ShellMark.unmarked(path)
        return places.compactMap { rows in rows.first { $0.matches(path) }?.risk }.max()
    }
}

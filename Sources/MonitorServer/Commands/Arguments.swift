internal import Settings

/// The command line: a command, then flags as `--flag value` or `--flag=value`.
struct Arguments: Equatable {
    enum Command: String, CaseIterable {
        case serve
        case migrate
        case rebuild
        case checkConfig = "check-config"
        case version
        case help
    }

    var command: Command
    /// The projections that `rebuild` rebuilds. Empty means all of them.
    var names: [String] = []
    var flags: [Setting: String] = [:]
    /// What is wrong with the flags, in their order.
    var faults: [String] = []

    static func parse(_ words: [String]) throws(UsageError) -> Arguments {
        var rest = words[...]
        guard let first = rest.popFirst() else { throw UsageError("A command is missing.") }
        if ["-h", "--help"].contains(first) { return Arguments(command: .help) }
        if first == "--version" { return Arguments(command: .version) }
        guard let command = Command(rawValue: first) else { throw UsageError("There is no command '\(first)'.") }
        var arguments = Arguments(command: command)
        while let word = rest.popFirst() {
            if ["-h", "--help"].contains(word) { return Arguments(command: .help) }
            if command == .rebuild, !word.hasPrefix("-") {
                arguments.names.append(word)
                continue
            }
            let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard let setting = Setting(flag: String(parts[0])) else {
                arguments.faults.append(
                    word.hasPrefix("-") ? "There is no flag '\(parts[0])'." : "'\(word)' is not a flag."
                )
                if parts.count == 1, rest.first?.hasPrefix("-") == false { rest.removeFirst() }
                continue
            }
            guard let value = parts.count == 2 ? String(parts[1]) : rest.popFirst() else {
                arguments.faults.append("\(setting.flag) needs a value.")
                break
            }
            arguments.flags[setting] = value
        }
        return arguments
    }

    static var usage: String {
        let commands = """
            usage: monitor-server COMMAND [--flag VALUE ...]

              serve         run the server
              migrate       apply the migrations to the database, then exit
              rebuild [NAME...]
                            rebuild tables that are derived from the log: sessions, event_counts, usage, search,
                            completeness; without a NAME, all of them.
                            A rebuild repeats no push, message or answer, and keeps rows whose events retention has
                            deleted. A server may run at the same time: it answers reads of sessions that must see
                            newer events with 503 projection_behind until the rebuild is done
              check-config  check the configuration, then exit
              version       print the version

            Each flag is also an environment variable; the flag takes precedence. Defaults are in parentheses.

            """
        let flags = Setting.allCases.map { setting in
            "  \(setting.flag), \(setting.rawValue)\n      \(setting.help)"
        }
        return commands + "\n" + flags.joined(separator: "\n")
    }
}

struct UsageError: Error, Equatable {
    var message: String

    init(_ message: String) {
        self.message = message
    }
}

/// The options of `run`.
struct RunOptions: Sendable, Equatable {
    /// PEM certificates to verify the server with.
    var certificates: String?
}

/// The command line: a command, then flags as `--flag value` or `--flag=value`.
struct Arguments: Equatable {
    enum Command: String, CaseIterable {
        case run, mcp, status, sessions, take, allow, env, doctor, install, uninstall, update, version, help

        /// What the word after the command names.
        var subject: String? {
            switch self {
            case .take: "the id of a session"
            case .allow: "a directory"
            default: nil
            }
        }
    }

    var command: Command
    /// The session of `take`, the directory of `allow`.
    var subject = ""
    var trusts = false
    var refreshes = false
    var isJSON = false
    var saysYes = false
    var withoutService = false
    var certificates: String?
    /// The kind of service whose file `install` only prints.
    var printedService: ServiceKind?
    /// Directories that `install` is to make roots, in place of the trusted projects.
    var roots: [String] = []

    struct Fault: Error, Equatable {
        var message: String

        init(_ message: String) { self.message = message }
    }

    static func parse(_ words: [String]) throws(Fault) -> Arguments {
        var rest = words[...]
        guard let first = rest.popFirst() else { throw Fault("A command is missing.") }
        if ["-h", "--help"].contains(first) { return Arguments(command: .help) }
        if first == "--version" { return Arguments(command: .version) }
        guard let command = Command(rawValue: first) else { throw Fault("There is no command '\(first)'.") }
        var arguments = Arguments(command: command)
        if let what = command.subject {
            guard let word = rest.first, !word.isEmpty else { throw Fault("\(first) needs \(what).") }
            if !word.hasPrefix("-") {
                arguments.subject = word
                rest = rest.dropFirst()
            }
        }
        while let word = rest.popFirst() {
            if ["-h", "--help"].contains(word) { return Arguments(command: .help) }
            let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
            guard word.hasPrefix("-") else { throw Fault("'\(word)' is not a flag.") }
            guard takes(command).contains(parts[0]) else { throw Fault("\(first) has no flag '\(parts[0])'.") }
            if ["--ca-file", "--root", "--print-service"].contains(parts[0]) {
                guard let value = parts.count == 2 ? parts[1] : rest.popFirst(), !value.isEmpty else {
                    throw Fault("\(parts[0]) needs a value.")
                }
                try arguments.take(value, for: parts[0])
                continue
            }
            guard parts.count == 1 else { throw Fault("\(parts[0]) takes no value.") }
            switch parts[0] {
            case "--json": arguments.isJSON = true
            case "--trust": arguments.trusts = true
            case "--refresh": arguments.refreshes = true
            case "--yes": arguments.saysYes = true
            default: arguments.withoutService = true
            }
        }
        if let what = command.subject, arguments.subject.isEmpty { throw Fault("\(first) needs \(what).") }
        return arguments
    }

    private mutating func take(_ value: String, for flag: String) throws(Fault) {
        switch flag {
        case "--root": roots.append(value)
        case "--print-service":
            guard let kind = ServiceKind(rawValue: value) else { throw Fault("There is no service '\(value)'.") }
            printedService = kind
        default: certificates = value
        }
    }

    private static func takes(_ command: Command) -> Set<String> {
        switch command {
        case .run, .mcp, .doctor, .update: ["--ca-file"]
        case .status, .sessions: ["--json"]
        case .install: ["--yes", "--no-service", "--root", "--ca-file", "--print-service"]
        case .uninstall: ["--yes"]
        case .allow: ["--trust"]
        case .env: ["--refresh"]
        case .take: []
        case .version, .help: []
        }
    }

    static let usage = """
        usage: monitor-agent COMMAND [--flag VALUE ...]

          run           connect to the server and carry out what the machine's file agent allows
              --ca-file FILE   certificates (PEM) to verify the server with, in place of the system's
          mcp           speak the Model Context Protocol with Claude Code, which starts this command. It passes calls
                        to the server, and checks the answers to `approve` against the machine's approvals file
              --ca-file FILE
          status        what the agent does
              --json
          sessions      the sessions that the agent runs
              --json
          take ID       go on with a session of the agent in this terminal: its process ends, and claude --resume begins
          allow PATH    let sessions work below a directory, after a yes at the terminal
              --trust          in place of that, let the directory's own settings, hooks and MCP servers run
          env           the names of the variables of your shell that sessions get
              --refresh        read them from your shell again
          doctor        check everything that the agent needs
              --ca-file FILE
          install       write the machine's file agent after a yes, and start the agent as a service of this user
              --root PATH      a directory below which sessions may work (repeatable); by default the projects that
                               you have trusted in Claude Code
              --yes            write the file without asking
              --no-service     only print how to start the agent
              --print-service KIND   print the file of the service for systemd or launchd, and do nothing else
              --ca-file FILE
          update        take a newer version from the server, after a yes at the terminal; sessions run on
              --ca-file FILE
          uninstall     stop the service and remove the file agent
              --yes
          version       print the version

        The agent takes the server's address and this machine's key from the configuration of the hooks.
        """
}

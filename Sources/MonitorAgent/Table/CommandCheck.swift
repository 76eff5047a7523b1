internal import JSON
internal import MachinePolicy

/// What the machine's files say about commands. The files are read anew for each.
struct CommandCheck {
    let file: AgentFile
    let approvals: Approvals
    let home: String
    /// `nil` if nothing exists at a path.
    let realPath: (String) -> String?
    let isDirectory: (String) -> Bool
    /// Whether a person trusts the folder, by its real path.
    let trusts: (String) -> Bool

    struct AllowedStart: Equatable {
        /// The real path.
        var directory: String
        var isRestricted: Bool
    }

    /// - Parameter running: the number of sessions that run.
    func start(
        _ start: AgentCommand.Start,
        by person: AgentCommand.Person,
        running: Int
    ) throws(CommandRefusal) -> AllowedStart {
        try file.requireUsable()
        guard let directory = realPath(start.directory), isDirectory(directory) else {
            // Whether something exists outside the roots is nobody's business.
            throw CommandRefusal(.outsideRoots, "\(start.directory) is no directory below a root of this machine.")
        }
        let allowance = try control(directory, as: start.directory)
        let isAllowed =
            start.isWoken
            ? allowance.modes.contains(start.mode)
            : ModeRule.allows(
                start.mode,
                allowance,
                approvals,
                project: directory,
                home: home,
                device: person.device
            )
        guard isAllowed else { throw CommandCheck.modeRefusal(start.mode) }
        if start.terminal != nil {
            guard allowance.pty else {
                throw CommandRefusal(.notAllowed, "The machine's file agent says pty=off there.")
            }
            guard trusts(directory), !start.isRestricted else {
                throw CommandRefusal(
                    .untrusted,
                    "Only a folder that somebody trusts at this machine may have a session in a terminal."
                )
            }
        }
        guard trusts(directory) || start.isRestricted else {
            throw CommandRefusal(
                .untrusted,
                "Nobody has said at this machine that the folder \(directory) is trusted. Start claude there once, "
                    + "or ask for a restricted session."
            )
        }
        guard running < file.sessions else {
            throw CommandRefusal(
                .tooMany,
                "\(running) sessions run already; the machine's file allows \(file.sessions)."
            )
        }
        return AllowedStart(directory: directory, isRestricted: start.isRestricted)
    }

    /// What is allowed in the directory of a session that runs.
    func control(_ directory: String) throws(CommandRefusal) -> AgentFile.Allowance {
        try file.requireUsable()
        return try control(directory, as: directory)
    }

    private func control(_ directory: String, as shown: String) throws(CommandRefusal) -> AgentFile.Allowance {
        guard let root = MachinePlace.root(of: directory, in: file, realPath: realPath) else {
            throw CommandRefusal(.outsideRoots, "\(shown) is no directory below a root of this machine.")
        }
        guard root.allowance.control else {
            throw CommandRefusal(.notAllowed, "The machine's file agent says control=off there.")
        }
        return root.allowance
    }

    /// A directory whose MCP servers may be started. Returns the real path.
    func tools(_ shown: String) throws(CommandRefusal) -> String {
        try file.requireUsable()
        guard let directory = realPath(shown), isDirectory(directory) else {
            throw CommandRefusal(.outsideRoots, "\(shown) is no directory below a root of this machine.")
        }
        _ = try control(directory, as: shown)
        guard trusts(directory) else {
            throw CommandRefusal(
                .untrusted,
                "Nobody has said at this machine that the folder \(directory) is trusted. Its servers do not start."
            )
        }
        return directory
    }

    /// A directory in which tools of MCP servers may be run. Returns the real path.
    func runTools(_ shown: String) throws(CommandRefusal) -> String {
        try file.requireUsable()
        guard file.tools == .ask else {
            throw CommandRefusal(.notAllowed, "The machine's file agent says tools=off.")
        }
        return try tools(shown)
    }

    /// A message to a session.
    func send(_ directory: String) throws(CommandRefusal) {
        _ = try control(directory)
        guard approvals.allowsMessages(project: directory, home: home) else {
            throw CommandRefusal(.notAllowed, "The machine's approvals file lets nobody send messages to this session.")
        }
    }

    func switchMode(
        to mode: String,
        in directory: String,
        by person: AgentCommand.Person
    ) throws(CommandRefusal) {
        let allowance = try control(directory)
        guard
            ModeRule.allows(mode, allowance, approvals, project: directory, home: home, device: person.device)
        else { throw CommandCheck.modeRefusal(mode) }
    }

    /// Whether a session may stay in a mode that the client reports.
    func tolerates(_ mode: String, in directory: String) -> Bool {
        MachinePlace.root(of: directory, in: file, realPath: realPath)?.allowance.modes.contains(mode) ?? false
    }

    /// The answer to a prompt, with only what the machine's files allow.
    func answer(
        _ call: PromptCall,
        _ rule: SettledRule,
        _ output: JSONValue,
        in directory: String
    ) throws(CommandRefusal) -> CheckedAnswer {
        let checked: CheckedAnswer
        do throws(AnswerRefusal) {
            checked = try AnswerCheck(call, rule, isDirectory: isDirectory).checked(output)
        } catch {
            throw CommandRefusal(.unfit, "The machine refuses the answer: \(error).")
        }
        if case .deny = checked { return checked }
        if case .form(let action, _) = checked, action != "accept" { return checked }
        guard rule.isAnswerable else {
            throw CommandRefusal(.unfit, "The machine refuses the answer: its file gives no time to answer.")
        }
        let allowance = try control(directory)
        guard case .allow(_, let permissions) = checked else { return checked }
        for mode in permissions.compactMap({ $0["mode"]?.string }) where !allowance.modes.contains(mode) {
            throw CommandCheck.modeRefusal(mode)
        }
        return checked
    }

    private static func modeRefusal(_ mode: String) -> CommandRefusal {
        CommandRefusal(.mode, "The machine's files do not allow the permission mode \(mode) there.")
    }
}

extension AgentFile {
    /// Throws unless the machine has a valid file.
    func requireUsable() throws(CommandRefusal) {
        if let flaw {
            throw CommandRefusal(.notAllowed, "The machine's file agent is not valid, so nothing is allowed: \(flaw).")
        }
        guard !isAbsent else {
            throw CommandRefusal(.notAllowed, "This machine has no file agent, so nothing is allowed.")
        }
    }
}

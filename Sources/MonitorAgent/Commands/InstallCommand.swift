internal import ClaudeRunner
internal import Host
internal import MachinePolicy
internal import Workers

/// Writes the machine's file `agent` after a yes, and starts the agent as a service of this user.
struct InstallCommand {
    let places: AgentPlaces
    let environment: [String]
    let arguments: Arguments

    private var files: MachineFiles { MachineFiles(directory: places.directory, home: places.home) }

    func run() -> ExitStatus {
        if let kind = arguments.printedService {
            let program = InstalledFiles.target(of: "/proc/self/exe")
            StandardOutput.write(kind.text(program: program, certificates: arguments.certificates))
            return .success
        }
        do {
            _ = try HookConfiguration.read(places.configuration)
            try OwnFile.makeDirectory(places.state)
            _ = try AgentIdentity.load(places.identity)
            guard try writeFile() else { return .failure }
            // A service has neither the PATH nor the keys of the person's shell.
            _ = try ShellEnvironment(places: places, environment: environment).store()
            return try startService()
        } catch {
            StandardError.write("monitor-agent: \(error)\n")
            return .failure
        }
    }

    /// False if the person does not want it, or if there is nothing to write.
    private func writeFile() throws(OwnFile.Fault) -> Bool {
        let present = files.agent()
        if present.isUsable {
            say("The file \(files.agentPath) exists and stays as it is.")
            return true
        }
        if let flaw = present.flaw {
            complain("The file \(files.agentPath) is not valid: \(flaw). Mend or remove it first.")
            return false
        }
        guard let roots = roots() else { return false }
        guard !roots.isEmpty else {
            complain("You have trusted no project in Claude Code yet. Name a directory with --root PATH.")
            return false
        }
        let client = InstalledClient.path(present, environment)
        if client == nil { say("Claude Code was not found in PATH. Add claude=PATH to the file when it is installed.") }
        let text = InstallPlan.file(roots: roots, claude: client)
        say("The agent lets devices that you have given control start and steer Claude Code on this machine.")
        say("Into \(files.agentPath) will be written:\n\n\(text)")
        guard arguments.saysYes || consent() else {
            say("Nothing was written.")
            return false
        }
        try OwnFile.makeDirectory(places.directory)
        try OwnFile.replace(files.agentPath, Array(text.utf8))
        return true
    }

    private func roots() -> [String]? {
        guard arguments.roots.isEmpty else {
            var roots: [String] = []
            for path in arguments.roots {
                guard let real = SmallFile.realPath(path), SmallFile.isDirectory(real), InstallPlan.isWritable(real)
                else {
                    complain("\(path) is not a directory.")
                    return nil
                }
                roots.append(real)
            }
            return roots
        }
        let record = FolderTrust.recordPath(home: places.home, configuration: ClaudeSettings.directory(environment))
        guard case .text(let text, _, _) = SmallFile.read(record, atMost: 64 << 20) else { return [] }
        return InstallPlan.projects(record: text, home: places.home) { path in
            SmallFile.realPath(path) == path && SmallFile.isDirectory(path)
        }
    }

    private func consent() -> Bool {
        guard MachineFacts.isTerminal else {
            complain("There is no terminal to ask on. Say --yes if that is wanted.")
            return false
        }
        return Consent.ask("Write it?")
    }

    private func startService() throws(OwnFile.Fault) -> ExitStatus {
        let program = InstalledFiles.target(of: "/proc/self/exe")
        let hint =
            "Start the agent with: \(program) run"
            + (arguments.certificates.map { " --ca-file \($0)" } ?? "")
        guard !arguments.withoutService else {
            say(hint)
            return .success
        }
        let service = UserService(places: places, environment: environment)
        guard service.isAvailable else {
            say("There is no systemd for users here.\n\(hint)")
            return .success
        }
        try service.write(InstallPlan.unit(program: program, certificates: arguments.certificates))
        if let fault = service.start() {
            complain("The service could not be started: \(fault)\n\(hint)")
            return .failure
        }
        say("The service \(InstallPlan.unitName) runs.")
        if !service.linger() {
            say("Sessions end when you log out, unless you allow them to stay: loginctl enable-linger")
        }
        return .success
    }

    private func say(_ line: String) { StandardOutput.write(line + "\n") }
    private func complain(_ line: String) { StandardError.write("monitor-agent: \(line)\n") }
}

/// The agent as a service of the user's systemd.
struct UserService {
    let places: AgentPlaces
    let environment: [String]

    private var path: String {
        (Environment.value("XDG_CONFIG_HOME", environment) ?? places.home + "/.config") + "/systemd/user/"
            + InstallPlan.unitName
    }

    var isInstalled: Bool { SmallFile.realPath(path) != nil }
    var isAvailable: Bool { call("systemctl", ["--user", "show-environment"])?.status == 0 }

    func write(_ unit: String) throws(OwnFile.Fault) {
        let directory = SmallFile.parent(of: path)
        if !SmallFile.isDirectory(directory) { try OwnFile.makeDirectory(directory) }
        try OwnFile.replace(path, Array(unit.utf8))
    }

    /// Returns what went wrong.
    func start() -> String? {
        call([["daemon-reload"], ["enable", InstallPlan.unitName], ["restart", InstallPlan.unitName]])
    }

    /// Returns what went wrong. Sessions outlive the agent.
    func restart() -> String? { call([["restart", InstallPlan.unitName]]) }

    private func call(_ commands: [[String]]) -> String? {
        for words in commands {
            guard call("systemctl", ["--user"] + words)?.status == 0 else {
                return "systemctl --user \(words.joined(separator: " "))"
            }
        }
        return nil
    }

    /// Whether the user's services stay after the logout.
    func linger() -> Bool { call("loginctl", ["enable-linger"])?.status == 0 }

    /// Stops and removes it, if it is there.
    func remove() throws(OwnFile.Fault) {
        guard SmallFile.realPath(path) != nil else { return }
        _ = call("systemctl", ["--user", "disable", "--now", InstallPlan.unitName])
        try OwnFile.remove(path)
        _ = call("systemctl", ["--user", "daemon-reload"])
    }

    private func call(_ program: String, _ words: [String]) -> ShortProcess.Done? {
        let places = ["/usr/bin/", "/bin/"].map { $0 + program }
        guard let found = places.first(where: OwnFile.canRun) else { return nil }
        return ShortProcess.run(
            found,
            words,
            environment: Environment.plain(environment),
            seconds: 30,
            keepsErrors: true
        )
    }
}

/// Stops the service and removes the machine's file, so that the agent may do nothing. The audit stays.
struct UninstallCommand {
    let places: AgentPlaces
    let environment: [String]
    let arguments: Arguments

    func run() -> ExitStatus {
        let files = MachineFiles(directory: places.directory, home: places.home)
        if !arguments.saysYes {
            guard MachineFacts.isTerminal else {
                StandardError.write("monitor-agent: There is no terminal to ask on. Say --yes if that is wanted.\n")
                return .failure
            }
            guard Consent.ask("Stop the agent and remove \(files.agentPath)?") else { return .failure }
        }
        do throws(OwnFile.Fault) {
            try OwnFile.remove(files.agentPath)
            try OwnFile.remove(places.environment)
            try UserService(places: places, environment: environment).remove()
        } catch {
            StandardError.write("monitor-agent: \(error)\n")
            return .failure
        }
        StandardOutput.write("The agent may do nothing on this machine any more. Its audit stays in \(places.audit).\n")
        if let pid = AgentLock.holder(places.lock) {
            StandardOutput.write("An agent still runs (process \(pid)); end it with: kill \(pid)\n")
        }
        let left = OwnFile.names(in: places.sessions).count
        if left > 0 { StandardOutput.write("\(left) sessions may still run; they end with their processes.\n") }
        return .success
    }
}

internal import Host
internal import MachinePolicy

/// `monitor-agent allow PATH`: widens the machine's file, after a yes at the terminal. No flag answers the question, so
/// that no session can do it by a command.
struct AllowCommand {
    let places: AgentPlaces
    let path: String
    /// The folder's own settings, hooks and servers may run; otherwise sessions may work below it.
    let trusts: Bool

    private var files: MachineFiles { MachineFiles(directory: places.directory, home: places.home) }

    func run() -> ExitStatus {
        guard let real = SmallFile.realPath(path), SmallFile.isDirectory(real), InstallPlan.isWritable(real) else {
            return complain("\(path) is not a directory that the file agent can name.")
        }
        let present = files.agent()
        guard !present.isAbsent else { return complain("There is no \(files.agentPath) yet: monitor-agent install") }
        if let flaw = present.flaw { return complain("\(files.agentPath) is not valid: \(flaw). Mend it first.") }
        guard case .text(let text, _, _) = SmallFile.read(files.agentPath, atMost: 64 << 10) else {
            return complain("\(files.agentPath) cannot be read.")
        }
        guard let line = AllowPlan.line(real, trusts: trusts, present) else {
            StandardOutput.write(ShownText.line("The file \(files.agentPath) allows \(real) already.") + "\n")
            return .success
        }
        let wider = AllowPlan.text(text, with: line)
        guard AgentFile(wider, home: places.home).flaw == nil else {
            return complain("With this line the file would not be valid: \(line)")
        }
        guard MachineFacts.isTerminal else { return complain("Type this command at a terminal of this machine.") }
        StandardOutput.write(ShownText.line("To \(files.agentPath) will be added:") + "\n\n")
        StandardOutput.write(ShownText.line(line) + "\n\n" + AllowPlan.meaning(trusts: trusts) + "\n")
        guard Consent.ask("Add it?") else { return complain("Nothing was changed.") }
        do throws(OwnFile.Fault) {
            try OwnFile.replace(SmallFile.realPath(files.agentPath) ?? files.agentPath, wider)
            return .success
        } catch {
            return complain("\(error)")
        }
    }

    private func complain(_ words: String) -> ExitStatus {
        StandardError.write("monitor-agent: \(ShownText.line(words))\n")
        return .failure
    }
}

/// What `allow` writes. Pure.
enum AllowPlan {
    /// `nil` if the file says it already.
    static func line(_ path: String, trusts: Bool, _ file: AgentFile) -> String? {
        let known = trusts ? file.trusted : file.roots.map(\.path)
        guard !known.contains(where: { MachinePlace.plain($0) == path }) else { return nil }
        return (trusts ? "trust=" : "roots=") + InstallPlan.quoted(path)
    }

    static func text(_ present: [UInt8], with line: String) -> [UInt8] {
        let end: [UInt8] = present.isEmpty || present.last == UInt8(ascii: "\n") ? [] : [UInt8(ascii: "\n")]
        return present + end + Array((line + "\n").utf8)
    }

    static func meaning(trusts: Bool) -> String {
        trusts
            ? "What that folder contains may then run in sessions: its settings, hooks and MCP servers."
            : "Sessions may then work in that folder and below, as the file's other words say."
    }
}

internal import ClaudeRunner
internal import Host
internal import MachinePolicy

/// `monitor-agent take ID`: ends the agent's process of a session, and goes on with the session in this terminal.
struct TakeCommand {
    let places: AgentPlaces
    let environment: [String]
    let mask: UInt32
    let id: String

    func run() async -> ExitStatus {
        guard ClaudeStart.isSessionID(id) else { return complain("\(id) is not the id of a session.") }
        guard MachineFacts.isTerminal else { return complain("Type this command at a terminal.") }
        guard let place = place() else {
            return complain("The agent runs no session \(id). Continue an ended one with: claude --resume \(id)")
        }
        let file = MachineFiles(directory: places.directory, home: places.home).agent()
        guard let program = InstalledClient.path(file, environment) else {
            return complain("Claude Code was not found; set claude=PATH in the file agent.")
        }
        do throws(OwnFile.Fault) {
            // The agent then knows why the process ends.
            try TakenMark.set(place)
        } catch {
            return complain("\(error)")
        }
        guard let state = await ClaudeSession.endClient(stateDirectory: place) else {
            return complain("The state of the session cannot be read.")
        }
        let code = ProcessImage.become(
            program,
            ["--resume", state.conversationID],
            environment: environment.filter { !ClaudeEnvironment.isOfSession($0) },
            directory: state.directory,
            mask: mask
        )
        return complain("\(program) cannot be started: \(code)")
    }

    /// The state directory of the session.
    private func place() -> String? {
        OwnFile.names(in: places.sessions).filter(ClaudeStart.isSessionID).map(places.session).first { place in
            guard let state = RunnerState.read(in: place) else { return false }
            return state.conversationID == id && (!state.hasEnded || state.isParked)
        }
    }

    private func complain(_ words: String) -> ExitStatus {
        StandardError.write("monitor-agent: \(ShownText.line(words))\n")
        return .failure
    }
}

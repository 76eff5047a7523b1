internal import ClaudeRunner
internal import EventModel
internal import Host
internal import MachinePolicy

/// `monitor-agent mcp`, which Claude Code starts as an MCP server.
struct BridgeCommand {
    let places: AgentPlaces
    let environment: [String]
    let arguments: Arguments

    func run() -> ExitStatus {
        do {
            let access = try ServerAccess(places, environment, certificates: arguments.certificates)
            guard let directory = SmallFile.realPath(".") else {
                throw UpdateCommand.Fault("the directory in which this was started does not exist")
            }
            var loop = BridgeLoop(
                Bridge(machine(directory)),
                BridgeSender(access: access),
                clock: SystemClock.monotonicSeconds
            )
            loop.run()
            return .success
        } catch {
            StandardError.write("monitor-agent: \(ShownText.line("\(error)"))\n")
            return .configuration
        }
    }

    private func machine(_ directory: String) -> Bridge.Machine {
        let files = MachineFiles(directory: places.directory, home: places.home)
        let client = MachineFacts.parent
        return Bridge.Machine(
            project: directory,
            rule: { call in SettledRule(call, in: files.approvals(), home: files.home) },
            isDirectory: SmallFile.isDirectory,
            session: {
                LiveSessions.configuration(environment: environment).flatMap {
                    LiveSessions.session(of: client, configuration: $0)?.sessionID
                }
            }
        )
    }
}

extension SettledRule {
    /// What the approvals file says at this time of day where nobody is at a terminal.
    init(_ call: PromptCall, in approvals: Approvals, home: String) {
        let now = MachineFiles.timeOfDay(at: SystemClock.now().microseconds / 1_000_000)
        self.init(call, in: approvals, for: .agent, now: now, home: home)
    }
}

internal import Host
internal import MachinePolicy

/// One run of the program.
struct Program {
    /// As `NAME=value`.
    let environment: [String]
    /// The person's own umask.
    let mask: UInt32

    func run(_ words: [String]) async -> ExitStatus {
        let arguments: Arguments
        do throws(Arguments.Fault) {
            arguments = try Arguments.parse(words)
        } catch {
            StandardError.write("monitor-agent: \(error.message) Try 'monitor-agent --help'.\n")
            return .usage
        }
        switch arguments.command {
        case .help:
            StandardOutput.write(Arguments.usage + "\n")
            return .success
        case .version:
            StandardOutput.write("monitor-agent \(AgentVersion.text)\n")
            return .success
        default: break
        }
        guard let places = AgentPlaces(Environment.table(environment)) else {
            StandardError.write("monitor-agent: HOME does not name a directory.\n")
            return .configuration
        }
        switch arguments.command {
        case .run: return await RunCommand(places: places, environment: environment, arguments: arguments).run()
        case .mcp: return BridgeCommand(places: places, environment: environment, arguments: arguments).run()
        case .status: return StatusCommand(places: places, isJSON: arguments.isJSON).status()
        case .sessions: return StatusCommand(places: places, isJSON: arguments.isJSON).sessions()
        case .update: return UpdateCommand(places: places, environment: environment, arguments: arguments).run()
        case .doctor: return await DoctorCommand(places: places, environment: environment, arguments: arguments).run()
        case .take:
            return await TakeCommand(places: places, environment: environment, mask: mask, id: arguments.subject)
                .run()
        case .allow:
            return AllowCommand(places: places, path: arguments.subject, trusts: arguments.trusts).run()
        case .env:
            return EnvironmentCommand(places: places, environment: environment, refreshes: arguments.refreshes).run()
        case .install: return InstallCommand(places: places, environment: environment, arguments: arguments).run()
        default: return UninstallCommand(places: places, environment: environment, arguments: arguments).run()
        }
    }
}

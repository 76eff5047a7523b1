internal import Host

/// `monitor-agent env`: which variables sessions get from the person's shell.
struct EnvironmentCommand {
    let places: AgentPlaces
    let environment: [String]
    let refreshes: Bool

    func run() -> ExitStatus {
        let shell = ShellEnvironment(places: places, environment: environment)
        do throws(OwnFile.Fault) {
            let names = refreshes ? try shell.store() : shell.names
            for name in names { StandardOutput.write(ShownText.line(name) + "\n") }
            if names.isEmpty { StandardOutput.write("Nothing is stored in \(places.environment).\n") }
            return .success
        } catch {
            StandardError.write("monitor-agent: \(error)\n")
            return .failure
        }
    }
}

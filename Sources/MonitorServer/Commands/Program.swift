internal import Host
internal import Logging
internal import Settings

/// One run of the program.
struct Program {
    let environment: [String: String]

    func run(_ words: [String]) async -> ExitStatus {
        let arguments: Arguments
        do throws(UsageError) {
            arguments = try Arguments.parse(words)
        } catch {
            StandardError.write("monitor-server: \(error.message) Try 'monitor-server --help'.\n")
            return .usage
        }
        switch arguments.command {
        case .help:
            StandardOutput.write(Arguments.usage + "\n")
            return .success
        case .version:
            StandardOutput.write("monitor-server \(ServerVersion.text)\n")
            return .success
        case .serve, .migrate, .rebuild, .checkConfig:
            return await runConfigured(arguments)
        }
    }

    private func report(_ faults: [String], _ status: ExitStatus) -> ExitStatus {
        for fault in faults { StandardError.write("monitor-server: \(fault)\n") }
        if status == .usage { StandardError.write("Try 'monitor-server --help'.\n") }
        return status
    }

    private func runConfigured(_ arguments: Arguments) async -> ExitStatus {
        let configuration: Configuration
        switch Configuration.read(flags: arguments.flags, environment: environment) {
        case .success(let value) where arguments.faults.isEmpty: configuration = value
        case .success: return report(arguments.faults, .usage)
        case .failure(let error):
            let isUsage = !arguments.faults.isEmpty
            return report(arguments.faults + error.faults.map(\.description), isUsage ? .usage : .configuration)
        }
        let logger = Logger(label: "monitor-server") { label in
            LineLogHandler(label: label, level: configuration.logLevel, format: configuration.logFormat)
        }
        switch arguments.command {
        case .checkConfig:
            StandardOutput.write("The configuration is valid.\n")
            return .success
        case .migrate: return await MigrateCommand(configuration: configuration, logger: logger).run()
        case .rebuild:
            return await RebuildCommand(configuration: configuration, names: arguments.names, logger: logger).run()
        default:
            return await ServeCommand(configuration: configuration, logger: logger).run()
        }
    }
}

internal import Logging

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

    private func runConfigured(_ arguments: Arguments) async -> ExitStatus {
        let configuration: Configuration
        switch Configuration.read(flags: arguments.flags, environment: environment) {
        case .success(let value): configuration = value
        case .failure(let error):
            for fault in error.faults { StandardError.write("monitor-server: \(fault)\n") }
            return .configuration
        }
        let logger = Logger(label: "monitor-server") { label in
            LineLogHandler(label: label, level: configuration.logLevel, format: configuration.logFormat)
        }
        switch arguments.command {
        case .checkConfig:
            StandardOutput.write("The configuration is good.\n")
            return .success
        case .migrate: return await MigrateCommand(configuration: configuration, logger: logger).run()
        case .rebuild:
            return await RebuildCommand(configuration: configuration, names: arguments.names, logger: logger).run()
        default: return await ServeCommand(configuration: configuration, logger: logger).run()
        }
    }
}

internal import Host
internal import Logging
internal import Persistence
internal import PrivateCluster
internal import Settings

struct MigrateCommand {
    let configuration: Configuration
    let logger: Logger

    func run() async -> ExitStatus {
        let source = DatabaseSource(configuration: configuration, logger: logger)
        let status = await migrate(source)
        await source.cluster?.stop()
        return status
    }

    private func migrate(_ source: DatabaseSource) async -> ExitStatus {
        do {
            if configuration.databaseURL == nil { _ = try DataDirectory(path: configuration.dataDirectory) }
            let applied = try Migrator(configuration: try await source.persistence(), logger: logger).run()
            let outcome =
                applied.isEmpty ? "The database is up to date." : "Applied \(applied.joined(separator: ", "))."
            StandardOutput.write(outcome + "\n")
            return .success
        } catch {
            StandardError.write("monitor-server: \(error)\n")
            return .failure
        }
    }
}

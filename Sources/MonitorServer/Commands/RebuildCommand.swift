internal import Host
internal import Logging
internal import Persistence
internal import PrivateCluster
internal import Settings

/// Rebuilds tables that are derived from the log.
struct RebuildCommand {
    let configuration: Configuration
    /// Empty means everything that can be rebuilt.
    let names: [String]
    let logger: Logger

    func run() async -> ExitStatus {
        let known = Rebuilder.names(and: projections)
        let unknown = names.filter { !known.contains($0) }
        guard unknown.isEmpty else {
            for name in unknown {
                StandardError.write("monitor-server: \(Rebuilder.Failure.unknown(name, known: known))\n")
            }
            return .usage
        }
        let source = DatabaseSource(configuration: configuration, logger: logger)
        let status = await rebuild(source)
        await source.cluster?.stop()
        return status
    }

    private var projections: [ProjectionSource] {
        FeatureProjections.all(prices: configuration.prices, logger: logger)
    }

    private func rebuild(_ source: DatabaseSource) async -> ExitStatus {
        do {
            if configuration.databaseURL == nil { _ = try DataDirectory(path: configuration.dataDirectory) }
            let persistence = try await source.persistence(sharing: true)
            _ = try Migrator(configuration: persistence, logger: logger).run()
            let rebuilder = Rebuilder(
                configuration: persistence,
                logger: logger,
                clock: SystemClock.makeSteady(),
                and: projections
            )
            for name in names.isEmpty ? rebuilder.names : names {
                let outcome = try rebuilder.run(name).get()
                StandardOutput.write("\(name): rebuilt from \(outcome.events) events, up to seq \(outcome.through).\n")
            }
            return .success
        } catch {
            StandardError.write("monitor-server: \(error)\n")
            return .failure
        }
    }
}

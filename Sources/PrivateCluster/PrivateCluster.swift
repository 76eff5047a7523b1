package import Logging

/// The server's own PostgreSQL cluster, in its data directory, reachable over a Unix socket only.
///
/// The postmaster outlives a server that is killed. The next server with the data directory adopts it.
package actor PrivateCluster {
    private enum State {
        case stopped
        case starting(Task<Result<RunningCluster, PrivateClusterError>, Never>)
        case running(RunningCluster)
        case stopping(Task<Void, Never>)
    }

    private let configuration: PrivateClusterConfiguration
    private let logger: Logger
    private var state = State.stopped

    package init(configuration: PrivateClusterConfiguration, logger: Logger) {
        self.configuration = configuration
        self.logger = logger
    }

    /// Whether the postmaster is alive and accepts connections now.
    package var isRunning: Bool {
        if case .running(let cluster) = state { return cluster.postmaster.status == .ready }
        return false
    }

    /// Creates the cluster if it does not exist, starts it if it does not run, and returns the libpq connection
    /// string of the database. Call it again when connections fail: it restarts a cluster that has died.
    package func start() async throws(PrivateClusterError) -> String {
        while true {
            switch state {
            case .running(let cluster):
                if cluster.postmaster.status == .ready { return cluster.layout.connectionString() }
                // The next attempt takes the lock again.
                cluster.lock.release()
                state = .stopped
            case .starting(let task):
                return try await task.value.get().layout.connectionString()
            case .stopping(let task):
                await task.value
            case .stopped:
                return try await begin().value.get().layout.connectionString()
            }
        }
    }

    /// Like `start`, if a server with the data directory may be running: its cluster is then used, and `stop` does not
    /// stop it.
    package func startOrShare() async throws(PrivateClusterError) -> String {
        do throws(PrivateClusterError) {
            return try await start()
        } catch {
            guard error.kind == .dataDirectoryInUse,
                let layout = try ClusterStart(configuration: configuration, logger: logger).running()
            else { throw error }
            return layout.connectionString()
        }
    }

    /// Stops the cluster and aborts a start in progress. Returns when PostgreSQL has ended, at the latest about three
    /// seconds after the configured time. May be called in any state.
    package func stop() async {
        while true {
            switch state {
            case .stopped:
                return
            case .starting(let task):
                task.cancel()
                _ = await task.value
            case .stopping(let task):
                return await task.value
            case .running(let cluster):
                state = .stopping(
                    Task {
                        await cluster.stop(timeout: configuration.stopTimeout, logger: logger)
                        cluster.lock.release()
                        state = .stopped
                    }
                )
            }
        }
    }

    private func begin() -> Task<Result<RunningCluster, PrivateClusterError>, Never> {
        let start = ClusterStart(configuration: configuration, logger: logger)
        let task = Task { () async -> Result<RunningCluster, PrivateClusterError> in
            do throws(PrivateClusterError) {
                let cluster = try await start.run()
                state = .running(cluster)
                return .success(cluster)
            } catch {
                state = .stopped
                return .failure(error)
            }
        }
        state = .starting(task)
        return task
    }
}

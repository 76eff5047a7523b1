public import Logging

/// A PostgreSQL cluster of the server's own, in its data directory, reached over a Unix socket only.
///
/// The postmaster outlives a server that is killed; the next server on the data directory adopts it.
public actor PrivateCluster {
    private enum State {
        case stopped
        case starting(Task<Result<RunningCluster, PrivateClusterError>, Never>)
        case running(RunningCluster)
        case stopping(Task<Void, Never>)
    }

    private let configuration: PrivateClusterConfiguration
    private let logger: Logger
    private var state = State.stopped

    public init(configuration: PrivateClusterConfiguration, logger: Logger) {
        self.configuration = configuration
        self.logger = logger
    }

    /// Whether the postmaster is alive and takes connections at this moment.
    public var isRunning: Bool {
        if case .running(let cluster) = state { return cluster.postmaster.status == .ready }
        return false
    }

    /// Makes the cluster if there is none, starts it if it does not run, and answers the libpq connection string of the
    /// database. May be called again at any time, above all when connections fail: it then starts what has died.
    public func start() async throws(PrivateClusterError) -> String {
        while true {
            switch state {
            case .running(let cluster):
                if cluster.postmaster.status == .ready { return cluster.layout.connectionString() }
                // The next attempt takes the lock anew.
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

    /// As `start`, where a server of the data directory may run: then its cluster is used, and `stop` leaves it alone.
    public func startOrShare() async throws(PrivateClusterError) -> String {
        do throws(PrivateClusterError) {
            return try await start()
        } catch {
            guard error.kind == .dataDirectoryInUse,
                let layout = try ClusterStart(configuration: configuration, logger: logger).running()
            else { throw error }
            return layout.connectionString()
        }
    }

    /// Stops the cluster; a start under way is given up. Returns when PostgreSQL has ended, at the latest about three
    /// seconds after the configured time. May be called in any state.
    public func stop() async {
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

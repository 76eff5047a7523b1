internal import Logging

/// One start of the cluster: a new one, an existing one, or a postmaster that is still running.
struct ClusterStart: Sendable {
    let configuration: PrivateClusterConfiguration
    let logger: Logger

    func run() async throws(PrivateClusterError) -> RunningCluster {
        let dataDirectory = try openDataDirectory()
        guard let lock = try calling({ () throws(SystemFault) in try LockFile(dataDirectory + "/server.lock") }) else {
            throw .dataDirectoryInUse(dataDirectory)
        }
        do throws(PrivateClusterError) {
            let cluster = try await prepare(dataDirectory, lock: lock)
            do throws(PrivateClusterError) {
                try await bringUp(cluster)
            } catch {
                if error.kind == .cancelled {
                    // In a separate task, because this task is cancelled, and so would be the programs that it runs.
                    await Task { await cluster.stop(timeout: configuration.stopTimeout, logger: logger) }.value
                }
                throw error
            }
            return cluster
        } catch {
            lock.release()
            throw error
        }
    }

    /// The layout of a cluster that another process is running, or `nil`.
    func running() throws(PrivateClusterError) -> ClusterLayout? {
        guard let identity = ServiceIdentity(serviceUser: configuration.serviceUser) else {
            throw .serviceUserMissing(configuration.serviceUser)
        }
        let layout = try ClusterPlacement(
            configuration: configuration,
            identity: identity,
            dataDirectory: try openDataDirectory()
        ).prepare()
        return Postmaster(layout: layout).status == .ready ? layout : nil
    }

    private func prepare(
        _ dataDirectory: String,
        lock: LockFile
    ) async throws(PrivateClusterError) -> RunningCluster {
        guard let identity = ServiceIdentity(serviceUser: configuration.serviceUser) else {
            throw .serviceUserMissing(configuration.serviceUser)
        }
        let layout = try ClusterPlacement(
            configuration: configuration,
            identity: identity,
            dataDirectory: dataDirectory
        ).prepare()
        let installation = try await InstallationSearch(configuration: configuration, identity: identity)
            .installation(clusterVersion: try version(of: layout))
        let tools = PostgresTools(binaryDirectory: installation.binaryDirectory, identity: identity)
        return RunningCluster(layout: layout, tools: tools, lock: lock)
    }

    /// Major version that created the cluster, or `nil` if there is no cluster yet.
    private func version(of layout: ClusterLayout) throws(PrivateClusterError) -> Int? {
        let text = try calling { () throws(SystemFault) in
            try FileSystem.readTail(layout.data + "/PG_VERSION", limit: 16)
        }
        return text.flatMap { Int($0.prefix { $0.isNumber }) }
    }

    /// Returns the real path of the data directory. Root trusts the names below it, so no other user may write there.
    private func openDataDirectory() throws(PrivateClusterError) -> String {
        if let fault = ClusterLayout.fault(inPath: configuration.dataDirectory) {
            throw .unusableDirectory(configuration.dataDirectory, fault)
        }
        let (path, status) = try calling { () throws(SystemFault) in
            if try FileStatus(at: configuration.dataDirectory) == nil {
                try FileSystem.makeDirectories(configuration.dataDirectory, mode: 0o700)
            }
            let path = try FileSystem.realPath(configuration.dataDirectory)
            return (path, try FileStatus(at: path))
        }
        if let fault = ClusterLayout.fault(inPath: path) { throw .unusableDirectory(path, fault) }
        guard let status, status.kind == .directory else { throw .unusableDirectory(path, "it is not a directory") }
        if ServiceIdentity.processUserID == 0, status.owner != 0 || status.mode & 0o022 != 0 {
            throw .unusableDirectory(path, "as root, the server needs a directory that only root may write to")
        }
        return path
    }

    private func bringUp(_ cluster: RunningCluster) async throws(PrivateClusterError) {
        if try version(of: cluster.layout) == nil {
            try await ClusterInitializer(layout: cluster.layout, tools: cluster.tools).initialize()
            logger.info("private PostgreSQL cluster made", metadata: ["directory": "\(cluster.layout.directory)"])
        }
        try calling { () throws(SystemFault) in try writeSettings(cluster) }
        try await reachReadiness(cluster)
        try await DatabaseCreation(layout: cluster.layout, tools: cluster.tools).createIfAbsent()
    }

    private func writeSettings(_ cluster: RunningCluster) throws(SystemFault) {
        let layout = cluster.layout
        let owner = cluster.tools.identity
        let settings = ServerSettings(
            socketDirectory: layout.socketDirectory,
            logDirectory: layout.logDirectory,
            memory: MachineMemory.available()
        )
        try FileSystem.replaceFile(layout.data + "/monitor.conf", settings.text, owner: owner)
        try FileSystem.replaceFile(layout.data + "/pg_hba.conf", ServerSettings.hostBasedAuthentication, owner: owner)
        let mainPath = layout.data + "/postgresql.conf"
        let main = try FileSystem.readTail(mainPath, limit: 1 << 20) ?? ""
        if !main.contains(ServerSettings.include) {
            try FileSystem.replaceFile(mainPath, ServerSettings.mainFile, owner: owner)
        }
    }

    private func reachReadiness(_ cluster: RunningCluster) async throws(PrivateClusterError) {
        let postmaster = cluster.postmaster
        var procedure = StartProcedure(looks: configuration.startTimeout * 10)
        while true {
            switch procedure.observed(postmaster.status) {
            case .launch:
                try await launch(cluster)
            case .wait:
                try await postmaster.pause()
            case .done(let adopted):
                if adopted { _ = try await cluster.tools.run("pg_ctl", ["reload", "-s", "-D", cluster.layout.data]) }
                logger.info("private PostgreSQL runs", metadata: ["adopted": "\(adopted)"])
                return
            case .died:
                throw PrivateClusterError(
                    .startFailed,
                    "PostgreSQL did not start in \(cluster.layout.directory). It said last:\n\(postmaster.lastWords())"
                )
            case .timedOut:
                throw PrivateClusterError(
                    .startTimedOut,
                    "PostgreSQL in \(cluster.layout.directory) does not accept connections after "
                        + "\(configuration.startTimeout) s. It said last:\n\(postmaster.lastWords())"
                )
            }
        }
    }

    private func launch(_ cluster: RunningCluster) async throws(PrivateClusterError) {
        try await cluster.postmaster.waitForOrphans(in: cluster.layout.data)
        try calling { () throws(SystemFault) in
            try cluster.postmaster.removeStaleFiles()
            try FileSystem.removeFile(cluster.layout.startLog)
        }
        _ = try await cluster.tools.run(
            "pg_ctl",
            [
                "start", "-s", "-w", "-t", "\(configuration.startTimeout)", "-D", cluster.layout.data,
                "-l", cluster.layout.startLog,
            ],
            limit: configuration.startTimeout + 5
        )
    }

    private func calling<T>(_ body: () throws(SystemFault) -> T) throws(PrivateClusterError) -> T {
        do throws(SystemFault) {
            return try body()
        } catch {
            throw error.clusterError
        }
    }
}

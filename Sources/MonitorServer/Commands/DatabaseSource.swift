internal import Host
internal import Logging
internal import Persistence
internal import PrivateCluster
internal import Settings

/// The database: an external one, or the server's private cluster.
struct DatabaseSource {
    let configuration: Configuration
    let cluster: PrivateCluster?

    init(configuration: Configuration, logger: Logger) {
        self.configuration = configuration
        guard configuration.databaseURL == nil else {
            cluster = nil
            return
        }
        var settings = PrivateClusterConfiguration(dataDirectory: configuration.dataDirectory)
        settings.binaryDirectory = configuration.postgresBinaries
        settings.serviceUser = configuration.postgresUser
        settings.stopTimeout = 5
        cluster = PrivateCluster(configuration: settings, logger: logger)
    }

    /// Starts the private cluster if one is used. May be called again when connections fail.
    ///
    /// - Parameter sharing: the cluster may belong to a running server.
    func persistence(sharing: Bool = false) async throws -> PersistenceConfiguration {
        let conninfo: String
        if let cluster {
            conninfo = sharing ? try await cluster.startOrShare() : try await cluster.start()
        } else {
            conninfo = configuration.databaseURL ?? ""
        }
        var persistence = PersistenceConfiguration(
            conninfo: conninfo,
            migrationsDirectory: try migrationsDirectory()
        )
        persistence.password = configuration.databasePassword
        persistence.retentionDays = configuration.retentionDays
        return persistence
    }

    private func migrationsDirectory() throws(StartError) -> String {
        if let configured = configuration.migrationsDirectory { return configured }
        if let found = InstalledFiles.find("migrations") { return found }
        throw StartError(
            "The migrations were not found; set \(Setting.migrationsDirectory.rawValue) to their directory."
        )
    }

    /// Text for people.
    var description: String {
        cluster == nil
            ? "the PostgreSQL of DATABASE_URL"
            : "a private PostgreSQL in \(configuration.dataDirectory)/postgres"
    }
}

/// Why the server cannot start, as text for people.
struct StartError: Error, CustomStringConvertible {
    var description: String

    init(_ description: String) {
        self.description = description
    }
}

internal import Glibc
internal import Logging
internal import Persistence
internal import PrivateCluster

/// Where the database is: a configured one, or the server's own cluster.
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
        cluster = PrivateCluster(configuration: settings, logger: logger)
    }

    /// Starts the private cluster if there is one. May be called again when connections fail.
    func persistence() async throws -> PersistenceConfiguration {
        let conninfo: String
        if let cluster {
            conninfo = try await cluster.start()
        } else {
            conninfo = configuration.databaseURL ?? ""
        }
        var persistence = PersistenceConfiguration(
            conninfo: conninfo,
            migrationsDirectory: try MigrationsLocation.find(configured: configuration.migrationsDirectory)
        )
        persistence.retentionDays = configuration.retentionDays
        return persistence
    }

    /// For people.
    var description: String {
        cluster == nil
            ? "the PostgreSQL of DATABASE_URL"
            : "a private PostgreSQL in \(configuration.dataDirectory)/postgres"
    }
}

/// The SQL files stand beside the program: in the source tree of a build, or where they were installed.
enum MigrationsLocation {
    static func find(configured: String?) throws(StartError) -> String {
        if let configured { return configured }
        let program = executableDirectory()
        let parents = ["", "/..", "/../..", "/../../.."].map { program + $0 + "/migrations" }
        let installed = ["/../share/claude-monitor/migrations"].map { program + $0 }
        for candidate in ["migrations"] + parents + installed {
            if unsafe access(candidate + "/0001_machines.sql", R_OK) == 0 { return candidate }
        }
        throw StartError("The migrations directory was not found; set \(Setting.migrationsDirectory.rawValue).")
    }

    private static func executableDirectory() -> String {
        var buffer = [CChar](repeating: 0, count: Int(PATH_MAX))
        let count = unsafe readlink("/proc/self/exe", &buffer, buffer.count)
        guard count > 0 else { return "." }
        let path = String(decoding: buffer.prefix(count).map(UInt8.init(bitPattern:)), as: UTF8.self)
        return path.lastIndex(of: "/").map { String(path[..<$0]) } ?? "."
    }
}

/// Why the server cannot start, for a person.
struct StartError: Error, CustomStringConvertible {
    var description: String

    init(_ description: String) {
        self.description = description
    }
}

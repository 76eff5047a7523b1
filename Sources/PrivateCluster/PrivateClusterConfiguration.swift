/// Where the private cluster is stored, and the programs and account that run it.
package struct PrivateClusterConfiguration: Sendable {
    /// The server's data directory, an absolute path. Created with mode 0700 if it does not exist.
    package var dataDirectory: String
    /// Directory with `initdb`, `pg_ctl`, `postgres` and `psql`. If `nil`, it is searched for.
    package var binaryDirectory: String?
    /// The account that runs PostgreSQL if the server is root, because PostgreSQL does not run as root.
    package var serviceUser: String
    /// Colon-separated directories, as in `PATH`, searched last.
    package var searchPath: String
    /// Maximum seconds of a start. After a crash it includes replaying up to 2 GB of write-ahead log.
    package var startTimeout: Int
    /// Maximum seconds of an orderly stop. After that an immediate shutdown follows.
    package var stopTimeout: Int
    /// Parent directory for clusters whose data directory the service user cannot reach.
    var stateDirectory = "/var/lib/claude-monitor"
    /// Parent of socket directories whose own path is too long for a socket address.
    var temporaryDirectory = "/tmp"

    package init(
        dataDirectory: String,
        binaryDirectory: String? = nil,
        serviceUser: String = "postgres",
        searchPath: String = "/usr/local/bin:/usr/bin:/bin",
        startTimeout: Int = 120,
        stopTimeout: Int = 8
    ) {
        self.dataDirectory = dataDirectory
        self.binaryDirectory = binaryDirectory
        self.serviceUser = serviceUser
        self.searchPath = searchPath
        self.startTimeout = startTimeout
        self.stopTimeout = stopTimeout
    }
}

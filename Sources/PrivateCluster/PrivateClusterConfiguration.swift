/// Where the private cluster lives and what runs it.
public struct PrivateClusterConfiguration: Sendable {
    /// The server's data directory, an absolute path. Made with mode 0700 if absent.
    public var dataDirectory: String
    /// Directory with `initdb`, `pg_ctl`, `postgres` and `psql`. `nil`: searched for.
    public var binaryDirectory: String?
    /// The account that PostgreSQL runs as when the server is root, because PostgreSQL refuses root.
    public var serviceUser: String
    /// Colon-separated directories, as in `PATH`, searched last.
    public var searchPath: String
    /// Seconds that a start may take. After a crash it includes replaying up to 2 GB of write-ahead log.
    public var startTimeout: Int
    /// Seconds that an orderly stop may take before connections are cut off hard.
    public var stopTimeout: Int
    /// Parent of clusters whose data directory the service user cannot reach.
    var stateDirectory = "/var/lib/claude-monitor"
    /// Parent of socket directories whose own path would be too long for a socket address.
    var temporaryDirectory = "/tmp"

    public init(
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

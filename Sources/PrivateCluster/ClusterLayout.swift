internal import EventModel

/// The paths of one cluster.
///
///     <data>/server.lock       held while a server uses the data directory
///     <data>/postgres/         the cluster, 0700, the service user's; or a symbolic link to it
///         data/                PostgreSQL's own directory (PGDATA)
///         data.new/            the same while initdb runs; never started
///         socket/              the Unix socket; if its address is too long or contains a comma, it is in
///                              /tmp/claude-monitor-<hash of the cluster's path>/ instead, 0700 and removed on stop
///         log/, start.log      PostgreSQL's log output
struct ClusterLayout: Sendable, Equatable {
    /// The cluster's real path, without symbolic links.
    let directory: String
    let socketDirectory: String

    var data: String { directory + "/data" }
    var unfinishedData: String { directory + "/data.new" }
    var logDirectory: String { directory + "/log" }
    var startLog: String { directory + "/start.log" }
    var postmasterFile: String { data + "/postmaster.pid" }
    var socketLock: String { "\(socketDirectory)/.s.PGSQL.\(Self.port).lock" }
    /// False if the socket is outside the cluster.
    var ownsSocketDirectory: Bool { socketDirectory.hasPrefix(directory + "/") }

    static let databaseName = "monitor"
    /// The superuser that initdb creates. It creates the database and transfers it to `serverRole`.
    static let roleName = "monitor"
    /// The role of the server's connections. It owns the database and nothing else.
    static let serverRole = "monitor_server"
    static let port = 5432

    /// `sockaddr_un.sun_path` holds 108 bytes including the terminating NUL. `/.s.PGSQL.5432` takes 14 of them.
    static let longestSocketDirectory = 107 - 14

    init(directory: String, temporaryDirectory: String) {
        self.directory = directory
        let inside = directory + "/socket"
        // A comma separates hosts in a connection string and cannot be escaped there.
        let fits = inside.utf8.count <= Self.longestSocketDirectory && !inside.utf8.contains(UInt8(ascii: ","))
        socketDirectory = fits ? inside : "\(temporaryDirectory)/claude-monitor-\(Self.stableName(of: directory))"
    }

    /// libpq connection string. Sets every parameter that the environment could otherwise change.
    func connectionString(database: String = databaseName, role: String = serverRole) -> String {
        let host = socketDirectory.reduce(into: "") { quoted, character in
            if character == "'" || character == "\\" { quoted.append("\\") }
            quoted.append(character)
        }
        return "host='\(host)' port=\(Self.port) user=\(role) dbname=\(database)"
    }

    /// 16 hexadecimal digits that depend only on the path.
    static func stableName(of path: String) -> String {
        var hash = StableHash()
        for byte in path.utf8 { hash.combine(byte) }
        let digits = String(hash.value, radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }

    /// `pg_ctl` and `initdb` pass paths to a shell in double quotes, where these bytes would be changed.
    static func fault(inPath path: String) -> String? {
        guard path.utf8.first == UInt8(ascii: "/") else { return "the path is not absolute" }
        let shellBytes: [UInt8] = [UInt8(ascii: "\""), UInt8(ascii: "$"), UInt8(ascii: "`"), UInt8(ascii: "\\")]
        let isUnsafe = path.utf8.contains { $0 < 0x20 || $0 == 0x7f || shellBytes.contains($0) }
        return isUnsafe ? "the path contains a quote, $, `, \\ or a control character" : nil
    }
}

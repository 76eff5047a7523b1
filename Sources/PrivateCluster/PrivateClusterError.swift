/// Why the private cluster is not running. The message says what to do and contains no secret.
package struct PrivateClusterError: Error, Sendable, Equatable, CustomStringConvertible {
    package enum Kind: Sendable {
        case binariesMissing
        case versionMismatch
        case serviceUserMissing
        case dataDirectoryInUse
        case unusableDirectory
        case systemCallFailed
        case initializationFailed
        case startFailed
        case startTimedOut
        case cancelled
    }

    package let kind: Kind
    package let message: String

    package var description: String { message }

    /// True if the same call can succeed later without a person's intervention.
    package var isRetriable: Bool {
        switch kind {
        case .startTimedOut, .cancelled: true
        case .binariesMissing, .versionMismatch, .serviceUserMissing, .dataDirectoryInUse, .unusableDirectory,
            .systemCallFailed, .initializationFailed, .startFailed:
            false
        }
    }

    init(_ kind: Kind, _ message: String) {
        self.kind = kind
        self.message = message
    }

    static func binariesMissing(in places: [String]) -> Self {
        Self(
            .binariesMissing,
            "PostgreSQL is not installed (no initdb, pg_ctl, postgres and psql in \(places.joined(separator: ", "))). "
                + "Install the Debian package `postgresql`, or set DATABASE_URL to use a database of your own."
        )
    }

    static func versionMismatch(cluster: Int, installed: [Int]) -> Self {
        let names = installed.map { "PostgreSQL \($0)" }.joined(separator: ", ")
        return Self(
            .versionMismatch,
            "The cluster in the data directory was made by PostgreSQL \(cluster), but only \(names) is installed. "
                + "Install `postgresql-\(cluster)`, or move the data with pg_upgrade or pg_dump."
        )
    }

    static func serviceUserMissing(_ name: String) -> Self {
        Self(
            .serviceUserMissing,
            "PostgreSQL does not run as root and there is no unprivileged user \"\(name)\" to run it as. Install the "
                + "Debian package `postgresql` (it makes the user), or run the server as an ordinary user."
        )
    }

    static func dataDirectoryInUse(_ path: String) -> Self {
        Self(.dataDirectoryInUse, "Another monitor-server uses this data directory: \(path)")
    }

    static func unusableDirectory(_ path: String, _ reason: String) -> Self {
        Self(.unusableDirectory, "\(path) cannot be used: \(reason)")
    }
}

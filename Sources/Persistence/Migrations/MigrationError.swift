/// Why the schema could not be brought up to date. A retry helps only where the database was away.
public enum MigrationError: Error, Sendable, Equatable {
    case unreadable(path: String, errorNumber: Int32)
    /// A file in the directory is not called `NNNN_name.sql`.
    case misnamed(file: String)
    /// Numbers begin at 0001, without gaps or repeats.
    case numbering(file: String, expected: Int64)
    /// The file differs from what was applied.
    case edited(file: String)
    /// What was applied has no file.
    case missing(version: Int64, name: String)
    /// A newer server has migrated this database.
    case databaseIsNewer(version: Int64, newestFile: Int64)
    /// The file's SQL failed; nothing of it remains.
    case failed(file: String, PersistenceError)
    case database(PersistenceError)

    public var isRetriable: Bool {
        switch self {
        case .failed(_, let error), .database(let error): error.isRetriable
        default: false
        }
    }
}

extension MigrationError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .unreadable(let path, let number): "\(path) cannot be read (errno \(number))"
        case .misnamed(let file): "migration \(file) is not named NNNN_name.sql"
        case .numbering(let file, let expected): "migration \(file) should have the number \(expected)"
        case .edited(let file): "migration \(file) was changed after it was applied to this database"
        case .missing(let version, let name): "migration \(version) (\(name)) was applied, but its file is missing"
        case .databaseIsNewer(let version, let newest):
            "the database has schema version \(version), this server knows \(newest): use a newer server"
        case .failed(let file, let error): "migration \(file) failed: \(error)"
        case .database(let error): error.description
        }
    }
}

/// Why the schema could not be migrated. A retry helps only if the database was unavailable.
package enum MigrationError: Error, Sendable, Equatable {
    case unreadable(path: String, errorNumber: Int32)
    /// A file in the directory is not named `NNNN_name.sql`.
    case misnamed(file: String)
    /// The numbers do not begin at 0001, or have gaps or duplicates.
    case numbering(file: String, expected: Int64)
    /// The file differs from the applied migration.
    case edited(file: String)
    /// An applied migration has no file.
    case missing(version: Int64, name: String)
    /// A newer server has migrated this database.
    case databaseIsNewer(version: Int64, newestFile: Int64)
    /// The file's SQL failed and was rolled back.
    case failed(file: String, PersistenceError)
    case database(PersistenceError)

    package var isRetriable: Bool {
        switch self {
        case .failed(_, let error), .database(let error): error.isRetriable
        default: false
        }
    }
}

extension MigrationError: CustomStringConvertible {
    package var description: String {
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

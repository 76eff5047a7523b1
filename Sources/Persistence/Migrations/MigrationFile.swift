/// One file of the migrations directory.
struct MigrationFile: Equatable {
    var version: Int64
    /// Without number and extension.
    var name: String
    var fileName: String
    var sql: [UInt8]

    /// Returns `nil` if the name is not `NNNN_name.sql`.
    init?(fileName: String, sql: [UInt8]) {
        let stem = fileName.utf8
        guard fileName.hasSuffix(".sql"), stem.count > 9 else { return nil }
        let digits = fileName.prefix(4)
        let name = fileName.dropFirst(5).dropLast(4)
        guard fileName.dropFirst(4).first == "_", digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }),
            let version = Int64(digits)
        else { return nil }
        self.version = version
        self.name = String(name)
        self.fileName = fileName
        self.sql = sql
    }
}

/// A row of `schema_migrations`.
struct AppliedMigration: Equatable {
    var version: Int64
    var name: String
    /// SHA-256 in hexadecimal.
    var digest: String
}

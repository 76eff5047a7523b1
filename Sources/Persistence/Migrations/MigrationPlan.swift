/// Which files still have to be applied. Refuses a directory that does not continue the applied migrations.
struct MigrationPlan {
    let pending: [MigrationFile]

    /// - Parameters:
    ///   - files: sorted by number.
    ///   - digests: the digests of the files, in the same order.
    init(files: [MigrationFile], digests: [String], applied: [AppliedMigration]) throws(MigrationError) {
        for (index, file) in files.enumerated() where file.version != Int64(index + 1) {
            throw .numbering(file: file.fileName, expected: Int64(index + 1))
        }
        let newest = Int64(files.count)
        for migration in applied {
            guard migration.version <= newest else {
                throw .databaseIsNewer(version: applied.map(\.version).max() ?? 0, newestFile: newest)
            }
            let index = Int(migration.version) - 1
            guard files.indices.contains(index), files[index].name == migration.name else {
                throw .missing(version: migration.version, name: migration.name)
            }
            guard digests[index] == migration.digest else { throw .edited(file: files[index].fileName) }
        }
        let done = Set(applied.map(\.version))
        let pending = files.filter { !done.contains($0.version) }
        if let first = pending.first, let last = done.max(), first.version < last {
            throw .missing(version: first.version, name: first.name)
        }
        self.pending = pending
    }
}

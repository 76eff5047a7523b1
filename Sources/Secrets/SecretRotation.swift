internal import API
internal import EventModel
internal import HTTPModel
internal import Persistence
internal import Signing

/// Seals all stored secrets with a new key, and removes the old one when nothing needs it any more.
struct SecretRotation: Sendable {
    struct Report: Sendable, Equatable {
        var keyID: String
        /// Whether an earlier rotation was finished, and no key made.
        var isResumed: Bool
        var resealed: Int64 = 0
        /// Secrets that did not open. The old keys are kept then.
        var unreadable: Int64 = 0
        var removedKeys: [String] = []
    }

    private static let batch: Int64 = 100

    let vault: SecretVault
    let columns: [SealedColumn]

    /// May be repeated after any error, also on another server that has the same keys.
    func run() async throws(APIError) -> Report {
        let (id, isResumed) = try await begin()
        var report = Report(keyID: id, isResumed: isResumed)
        for column in columns { try await reseal(column, id, &report) }
        guard report.unreadable == 0 else { return report }
        let retired = try await vault.database.use { store throws(PersistenceError) in
            try await store.forgetRetiredSecretKeys()
        }
        try vault.remove(retired)
        report.removedKeys = retired
        return report
    }

    /// The key to seal with.
    private func begin() async throws(APIError) -> (id: String, isResumed: Bool) {
        let known = try await vault.storedKeys()
        if let current = known.first(where: \.isCurrent), known.count > 1 { return (current.id, true) }
        let key = try await vault.spareKey(besides: known)
        let isBegun = try await vault.database.use { store throws(PersistenceError) in
            try await store.beginSecretKey(key.id)
        }
        return isBegun ? (key.id, false) : try await begin()
    }

    private func reseal(_ column: SealedColumn, _ id: String, _ report: inout Report) async throws(APIError) {
        var last = ""
        while true {
            let (sealer, after) = (vault.sealer, last)
            let done = try await vault.database.use { store throws(PersistenceError) in
                try await store.reseal(column, after: after, atMost: SecretRotation.batch, with: sealer, key: id)
            }
            report.resealed += done.resealed
            report.unreadable += done.unreadable
            guard let row = done.last else { return }
            last = row
        }
    }
}

private struct ResealedRows: Sendable {
    var resealed: Int64 = 0
    var unreadable: Int64 = 0
    /// `nil` if there was no row.
    var last: String?
}

extension PostgresStore {
    /// Seals a batch of rows anew, in one transaction.
    fileprivate func reseal(
        _ column: SealedColumn,
        after row: String,
        atMost count: Int64,
        with sealer: SecretSealer,
        key id: String
    ) async throws(PersistenceError) -> ResealedRows {
        try await run { connection throws(PersistenceError) in
            try connection.secretTransaction { () throws(PersistenceError) in
                let key = RawBytes(bytes: Base64URL.decode(id) ?? [])
                let (read, write) = (SecretStatements.read(column), SecretStatements.write(column))
                var (done, calls) = (ResealedRows(), [(Statement, Parameters)]())
                for found in try connection.query(read, Parameters(of: row, key, count)).rows {
                    let (row, sealed): (String, [UInt8]) = try found.values()
                    done.last = row
                    let place = SecretPlace(table: column.table, row: row, column: column.column)
                    if let secret = try? sealer.open(sealed, at: place),
                        let anew = try? sealer.seal(secret, key: id, at: place)
                    {
                        calls.append((write, Parameters(of: row, RawBytes(bytes: anew))))
                        done.resealed += 1
                    } else {
                        done.unreadable += 1
                    }
                }
                if !calls.isEmpty { _ = try connection.pipeline(calls) }
                return done
            }
        }
    }
}

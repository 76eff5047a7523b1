internal import API
internal import Persistence

/// A key that seals secrets, as the database knows it.
struct StoredSecretKey: Sendable, Equatable {
    let id: String
    let isCurrent: Bool
}

enum SecretStatements {
    static let keys = Statement("secret_keys", "SELECT id, is_current FROM secret_keys ORDER BY made_at, id")

    static let addFirst = Statement(
        "add_first_secret_key",
        [.text],
        "INSERT INTO secret_keys VALUES ($1, true, clock_timestamp()) ON CONFLICT DO NOTHING"
    )

    static let begin = Statement("begin_secrets", "BEGIN ISOLATION LEVEL READ COMMITTED")
    static let commit = Statement("commit_secrets", "COMMIT")
    static let rollback = Statement("rollback_secrets", "ROLLBACK")

    /// A change of the current key waits until the transaction has ended.
    static let hold = Statement(
        "hold_secret_key",
        [.text],
        "SELECT id FROM secret_keys WHERE id = $1 AND is_current FOR SHARE"
    )

    static let retire = Statement("retire_secret_key", "UPDATE secret_keys SET is_current = false WHERE is_current")
    static let add = Statement(
        "add_secret_key",
        [.text],
        "INSERT INTO secret_keys VALUES ($1, true, clock_timestamp())"
    )
    static let forget = Statement("forget_secret_keys", "DELETE FROM secret_keys WHERE NOT is_current RETURNING id")

    /// The rows after `$1` that are sealed with another key than `$2`.
    static func read(_ column: SealedColumn) -> Statement {
        Statement(
            "sealed_\(column.table)_\(column.column)",
            [.text, .bytea, .int8],
            """
            SELECT \(column.row), \(column.column) FROM \(column.table)
            WHERE \(column.row) > $1 AND substr(\(column.column), 2, \(SecretStatements.idLength)) <> $2
            ORDER BY 1 LIMIT $3 FOR UPDATE
            """
        )
    }

    static func write(_ column: SealedColumn) -> Statement {
        Statement(
            "reseal_\(column.table)_\(column.column)",
            [.text, .bytea],
            "UPDATE \(column.table) SET \(column.column) = $2 WHERE \(column.row) = $1"
        )
    }

    /// Bytes of a key's id in sealed bytes.
    private static let idLength = 8
}

extension PostgresStore {
    /// The oldest first.
    func secretKeys() async throws(PersistenceError) -> [StoredSecretKey] {
        try await run { connection throws(PersistenceError) in
            try connection.query(SecretStatements.keys).map { row throws(PersistenceError) in
                try row.make { StoredSecretKey(id: $0, isCurrent: $1) }
            }
        }
    }

    /// Does nothing if there is a current key.
    func addFirstSecretKey(_ id: String) async throws(PersistenceError) {
        try await run { connection throws(PersistenceError) in
            _ = try connection.query(SecretStatements.addFirst, Parameters(of: id))
        }
    }

    /// Returns `nil`, and does not write, if the key is not the current one.
    func writing<Value: Sendable>(
        underKey id: String,
        _ write: @escaping @Sendable (PQConnection) throws(PersistenceError) -> Value
    ) async throws(PersistenceError) -> Value? {
        try await run { connection throws(PersistenceError) in
            try connection.secretTransaction { () throws(PersistenceError) -> Value? in
                let held: String? = try connection.query(SecretStatements.hold, Parameters(of: id)).firstValue()
                return held == nil ? nil : try write(connection)
            }
        }
    }

    /// Makes the key the current one. Returns false if another server has begun another one meanwhile.
    func beginSecretKey(_ id: String) async throws(PersistenceError) -> Bool {
        try await run { connection throws(PersistenceError) in
            do throws(PersistenceError) {
                try connection.secretTransaction { () throws(PersistenceError) in
                    _ = try connection.query(SecretStatements.retire)
                    _ = try connection.query(SecretStatements.add, Parameters(of: id))
                }
                return true
            } catch {
                guard error.sqlState == .uniqueViolation else { throw error }
                return false
            }
        }
    }

    /// The keys that it forgets.
    func forgetRetiredSecretKeys() async throws(PersistenceError) -> [String] {
        try await run { connection throws(PersistenceError) in
            try connection.query(SecretStatements.forget).values()
        }
    }
}

extension PQConnection {
    func secretTransaction<Value>(_ body: () throws(PersistenceError) -> Value) throws(PersistenceError) -> Value {
        do throws(PersistenceError) {
            _ = try query(SecretStatements.begin)
            let value = try body()
            guard try query(SecretStatements.commit).commandTag == "COMMIT" else {
                throw PersistenceError(.malformedReply, "the transaction was rolled back by the server")
            }
            return value
        } catch {
            if !error.isConnectionLost { _ = try? query(SecretStatements.rollback) }
            throw error
        }
    }
}

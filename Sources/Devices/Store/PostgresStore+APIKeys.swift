package import EventModel
package import Persistence

/// The keys of programs. The changes are durable when these functions return.
extension PostgresStore {
    /// Returns `nil` if a valid key has the name.
    package func createAPIKey(
        _ key: NewAPIKey,
        _ grants: Grants,
        prefix: String,
        sha256: [UInt8],
        by creator: String
    ) async throws(PersistenceError) -> APIKeyRecord? {
        try await run { connection throws(PersistenceError) in
            let parameters = Parameters(
                of: key.name,
                prefix,
                RawBytes(bytes: sha256),
                grants.stored,
                key.models?.joined(separator: " "),
                key.dailyBudget,
                key.requestsPerMinute,
                key.expiresAt,
                creator,
                key.toolkits,
                key.shares
            )
            do throws(PersistenceError) {
                return try connection.query(APIKeyStatements.create, parameters).firstValue()
            } catch {
                guard error.sqlState == .uniqueViolation else { throw error }
                return nil
            }
        }
    }

    /// In order of creation, including revoked keys.
    package func apiKeys() async throws(PersistenceError) -> [APIKeyRecord] {
        try await run { connection throws(PersistenceError) in
            try connection.query(APIKeyStatements.list).values()
        }
    }

    /// Returns `nil` if no valid key has this id or name.
    package func revokeAPIKey(_ idOrName: String) async throws(PersistenceError) -> APIKeyRecord? {
        try await run { connection throws(PersistenceError) in
            try connection.query(APIKeyStatements.revoke, Parameters(of: idOrName)).firstValue()
        }
    }

    /// The keys that are not revoked, also those that have expired.
    package func activeAPIKeys() async throws(PersistenceError) -> [(sha256: [UInt8], grant: APIKeyGrant)] {
        try await run { connection throws(PersistenceError) in
            try connection.query(APIKeyStatements.active).map { row throws(PersistenceError) in
                (try row.value(), try APIKeyGrant(from: row, 1))
            }
        }
    }

    /// Records when keys were last accepted. A stored time is never moved back.
    package func touchAPIKeys(_ lastUsed: [Int64: Timestamp]) async throws(PersistenceError) {
        guard !lastUsed.isEmpty else { return }
        try await run { connection throws(PersistenceError) in
            let rows = APIKeyStatements.used.arrays(Array(lastUsed))
            _ = try connection.query(APIKeyStatements.touch, Parameters(of: rows))
        }
    }
}

/// The first columns of `APIKeyStatements.columns`.
extension APIKeyGrant: PGColumn {
    package static var columnCount: Int { 9 }

    package init(from row: PQRow, _ column: Int) throws(PersistenceError) {
        self = try row.make(from: column) { id, name, grants, models, budget, rate, expiresAt, toolkits, shares in
            var grant = APIKeyGrant(
                id: id,
                name: name,
                grants: grants,
                models: APIKeyGrant.words(models, " "),
                dailyBudget: budget,
                requestsPerMinute: rate,
                expiresAt: expiresAt
            )
            (grant.toolkits, grant.shares) = (APIKeyGrant.words(toolkits, "\n"), APIKeyGrant.words(shares, "\n") ?? [])
            return grant
        }
    }

    private static func words(_ text: String?, _ separator: Character) -> [String]? {
        text?.split(separator: separator).map { String($0) }
    }
}

/// The columns of `APIKeyStatements.columns`.
extension APIKeyRecord: PGColumn {
    package static var columnCount: Int { 14 }

    package init(from row: PQRow, _ column: Int) throws(PersistenceError) {
        self = try row.make(from: column, APIKeyRecord.init)
    }
}

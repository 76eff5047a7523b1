package import EventModel
package import Persistence

/// A refresh token, its family and its device.
package struct RefreshTokenRecord: Sendable, Equatable {
    package var familyID: Int64
    package var device: DeviceID
    package var generation: Int64
    package var expiresAt: Timestamp
    package var familyGeneration: Int64
    /// The lowest generation whose token is valid.
    package var validFrom: Int64
    /// Generation of the token whose use started the family's current generation, and when it was first used.
    package var predecessor: Int64
    package var rotatedAt: Timestamp
    /// The family or the device is revoked.
    package var isRevoked: Bool
    /// The family's tokens are in a browser's cookie.
    package var isBrowser: Bool
    /// The digest of the browser's secret. `nil` for a program, and for a browser that must sign in again.
    package var browserSHA256: [UInt8]?
}

extension PostgresStore {
    package func refreshToken(sha256: [UInt8]) async throws(PersistenceError) -> RefreshTokenRecord? {
        try await run { connection throws(PersistenceError) in
            let parameters = Parameters(of: RawBytes(bytes: sha256))
            let row = try connection.query(DeviceStatements.refreshToken, parameters).firstRow
            return try row.map { row throws(PersistenceError) in try row.make(RefreshTokenRecord.init) }
        }
    }

    /// Starts the family's next generation with `token`, which replaces the token of `record`. Returns false if the
    /// family has changed since `record` was read; then nothing was changed.
    package func addRefreshToken(
        _ token: NewSecret,
        for record: RefreshTokenRecord,
        now: Timestamp
    ) async throws(PersistenceError) -> Bool {
        try await run { connection throws(PersistenceError) in
            let parameters = Parameters(
                of: record.familyID,
                record.familyGeneration,
                record.generation,
                now,
                RawBytes(bytes: token.sha256),
                token.expiresAt
            )
            return try connection.query(DeviceStatements.addRefreshToken, parameters).firstRow != nil
        }
    }

    package func revokeFamily(_ id: Int64, because reason: String, now: Timestamp) async throws(PersistenceError) {
        try await run { connection throws(PersistenceError) in
            _ = try connection.query(DeviceStatements.revokeFamily, Parameters(of: id, now, reason))
        }
    }
}

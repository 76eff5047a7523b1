public import EventModel

/// A refresh token, its family and its device.
public struct RefreshTokenRecord: Sendable, Equatable {
    public var familyID: Int64
    public var device: DeviceID
    public var generation: Int64
    public var expiresAt: Timestamp
    public var familyGeneration: Int64
    /// Generation of the token whose use started the family's current generation, and when it was first used.
    public var predecessor: Int64
    public var rotatedAt: Timestamp
    /// The family or the device is revoked.
    public var isRevoked: Bool
}

extension PostgresStore {
    public func refreshToken(sha256: [UInt8]) async throws(PersistenceError) -> RefreshTokenRecord? {
        try await pool.run { connection throws(PersistenceError) in
            var parameters = Parameters()
            parameters.add(RawBytes(bytes: sha256))
            guard let row = try connection.query(DeviceStatements.refreshToken, parameters).firstRow else { return nil }
            return RefreshTokenRecord(
                familyID: try row.int64(0),
                device: DeviceID(rawValue: try row.int64(1)),
                generation: try row.int64(2),
                expiresAt: try row.timestamp(3),
                familyGeneration: try row.int64(4),
                predecessor: try row.int64(5),
                rotatedAt: try row.timestamp(6),
                isRevoked: try row.bool(7)
            )
        }
    }

    /// Starts the family's next generation with `token`, which replaces the token of `record`. Returns false if the
    /// family has changed since `record` was read; then nothing was changed.
    public func addRefreshToken(
        _ token: NewSecret,
        for record: RefreshTokenRecord,
        now: Timestamp
    ) async throws(PersistenceError) -> Bool {
        try await pool.run { connection throws(PersistenceError) in
            var parameters = Parameters()
            parameters.add(record.familyID)
            parameters.add(record.familyGeneration)
            parameters.add(record.generation)
            parameters.add(now)
            parameters.add(RawBytes(bytes: token.sha256))
            parameters.add(token.expiresAt)
            return try connection.query(DeviceStatements.addRefreshToken, parameters).firstRow != nil
        }
    }

    public func revokeFamily(_ id: Int64, because reason: String, now: Timestamp) async throws(PersistenceError) {
        try await pool.run { connection throws(PersistenceError) in
            var parameters = Parameters()
            parameters.add(id)
            parameters.add(now)
            parameters.add(reason)
            _ = try connection.query(DeviceStatements.revokeFamily, parameters)
        }
    }
}

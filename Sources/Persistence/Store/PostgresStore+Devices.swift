public import EventModel

/// A new invitation or token: its digest and how long it lives.
public struct NewSecret: Sendable {
    /// SHA-256, 32 bytes.
    public var sha256: [UInt8]
    public var expiresAt: Timestamp

    public init(sha256: [UInt8], expiresAt: Timestamp) {
        self.sha256 = sha256
        self.expiresAt = expiresAt
    }
}

/// Pairings and devices. What these functions change is on disk when they return.
extension PostgresStore {
    /// - Parameter machines: of the capabilities that are granted for machines.
    public func createPairing(
        codeSHA256: [UInt8],
        token: NewSecret,
        capabilities: [Capability] = [.read],
        machines: MachineSet = .all,
        now: Timestamp
    ) async throws(PersistenceError) -> Int64 {
        try await pool.run { connection throws(PersistenceError) in
            var parameters = Parameters()
            parameters.add(RawBytes(bytes: codeSHA256))
            parameters.add(RawBytes(bytes: token.sha256))
            parameters.add(now)
            parameters.add(token.expiresAt)
            parameters.add(array: capabilities.map(\.rawValue))
            parameters.add(machines)
            guard let row = try connection.query(DeviceStatements.createPairing, parameters).firstRow else {
                throw PersistenceError(.malformedReply, "the new pairing has no row")
            }
            return try row.int64(0)
        }
    }

    public func pairing(id: Int64) async throws(PersistenceError) -> PairingRecord? {
        try await pool.run { connection throws(PersistenceError) in
            var parameters = Parameters()
            parameters.add(id)
            guard let row = try connection.query(DeviceStatements.pairing, parameters).firstRow else { return nil }
            return PairingRecord(
                id: try row.int64(0),
                expiresAt: try row.timestamp(1),
                request: PairingRecord.RequestState(rawValue: try row.text(2)) ?? .none,
                device: try row.bool(3) ? try DeviceRecord(row, from: 4) : nil
            )
        }
    }

    /// Puts `tokenSHA256` in the place of the pairing's token. `nil`: there is no such code that is unused and has not
    /// expired.
    public func turnInCode(
        codeSHA256: [UInt8],
        tokenSHA256: [UInt8],
        now: Timestamp
    ) async throws(PersistenceError) -> PairingRecord? {
        try await pool.run { connection throws(PersistenceError) in
            var parameters = Parameters()
            parameters.add(RawBytes(bytes: codeSHA256))
            parameters.add(RawBytes(bytes: tokenSHA256))
            parameters.add(now)
            guard let row = try connection.query(DeviceStatements.turnInCode, parameters).firstRow else { return nil }
            return PairingRecord(
                id: try row.int64(0),
                expiresAt: try row.timestamp(1),
                request: .none,
                device: nil
            )
        }
    }

    /// Makes the device, with what its pairing grants. `nil`: neither a code nor a token has this digest, is unused,
    /// has not expired and was not rejected.
    /// - Parameter approvedPeer: the address whose request a person must have approved; `nil` where nobody is asked.
    public func pairDevice(
        secretSHA256: [UInt8],
        name: String,
        platform: String?,
        refreshToken: NewSecret,
        approvedPeer: String? = nil,
        now: Timestamp
    ) async throws(PersistenceError) -> (device: DeviceID, rights: DeviceRights)? {
        try await pool.run { connection throws(PersistenceError) in
            var parameters = Parameters()
            parameters.add(RawBytes(bytes: secretSHA256))
            parameters.add(now)
            parameters.add(name)
            parameters.add(platform)
            parameters.add(RawBytes(bytes: refreshToken.sha256))
            parameters.add(refreshToken.expiresAt)
            parameters.add(approvedPeer)
            let row = try connection.madeOnce(DeviceStatements.pair, parameters, refreshToken)
            return try row.map { row throws(PersistenceError) in
                (DeviceID(rawValue: try row.int64(0)), try DeviceRights(row, from: 2))
            }
        }
    }

    /// In the order of their making, revoked ones included.
    public func devices() async throws(PersistenceError) -> [DeviceRecord] {
        try await pool.run { connection throws(PersistenceError) in
            try connection.query(DeviceStatements.list).map { row throws(PersistenceError) in
                try DeviceRecord(row, from: 0)
            }
        }
    }

    /// Those whose access tokens count.
    public func activeDevices() async throws(PersistenceError) -> [DeviceID: DeviceRights] {
        try await pool.run { connection throws(PersistenceError) in
            var devices: [DeviceID: DeviceRights] = [:]
            for row in try connection.query(DeviceStatements.active).rows {
                devices[DeviceID(rawValue: try row.int64(0))] = try DeviceRights(row, from: 1)
            }
            return devices
        }
    }

    /// Takes its push tokens too, which are returned. `nil`: it was not there, or not valid any more.
    public func revokeDevice(
        _ device: DeviceID,
        now: Timestamp
    ) async throws(PersistenceError) -> RemovedPushTokens? {
        try await pool.run { connection throws(PersistenceError) in
            var parameters = Parameters()
            parameters.add(device.rawValue)
            parameters.add(now)
            let result = try connection.query(DeviceStatements.revokeDevice, parameters)
            guard let tokens = try result.firstRow?.int64(0) else { return nil }
            return RemovedPushTokens(tokens: tokens, withdrawn: try PushTally(result, from: 1))
        }
    }
}

extension PQConnection {
    /// Device, person, name, owner and grants of a statement that makes a device with a refresh token, or of its first
    /// run where the answer to that was lost: it has used up the invitation, or its token stands in the way.
    func madeOnce(
        _ statement: Statement,
        _ parameters: Parameters,
        _ refreshToken: NewSecret
    ) throws(PersistenceError) -> PQRow? {
        do throws(PersistenceError) {
            if let row = try query(statement, parameters).firstRow { return row }
        } catch {
            guard error.sqlState == .uniqueViolation else { throw error }
        }
        var first = Parameters()
        first.add(RawBytes(bytes: refreshToken.sha256))
        return try query(DeviceStatements.paired, first).firstRow
    }
}

extension DeviceRecord {
    /// The columns of `DeviceStatements.columns`, from column `first`.
    init(_ row: PQRow, from first: Int) throws(PersistenceError) {
        let revokedAt = try row.optionalTimestamp(first + 6)
        self.init(
            id: DeviceID(rawValue: try row.int64(first)),
            name: try row.text(first + 1),
            owner: row.optionalText(first + 2),
            platform: row.optionalText(first + 3),
            createdAt: try row.timestamp(first + 4),
            lastSeenAt: try row.timestamp(first + 5),
            revokedAt: revokedAt,
            state: revokedAt != nil ? .revoked : try row.bool(first + 7) ? .active : .signedOut,
            grants: Grants(stored: row.optionalText(first + 8) ?? "")
        )
    }
}

package import EventModel
package import Persistence

/// A new invitation or token: its digest and its lifetime.
package struct NewSecret: Sendable {
    /// SHA-256, 32 bytes.
    package var sha256: [UInt8]
    package var expiresAt: Timestamp

    package init(sha256: [UInt8], expiresAt: Timestamp) {
        self.sha256 = sha256
        self.expiresAt = expiresAt
    }
}

/// Pairings and devices. The changes are durable when these functions return.
extension PostgresStore {
    /// - Parameter machines: the machines for capabilities that are granted per machine.
    package func createPairing(
        codeSHA256: [UInt8],
        token: NewSecret,
        capabilities: [Capability] = [.read],
        machines: MachineSet = .all,
        now: Timestamp
    ) async throws(PersistenceError) -> Int64 {
        try await run { connection throws(PersistenceError) in
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

    package func pairing(id: Int64) async throws(PersistenceError) -> PairingRecord? {
        try await run { connection throws(PersistenceError) in
            let parameters = Parameters(of: id)
            guard let row = try connection.query(DeviceStatements.pairing, parameters).firstRow else { return nil }
            return PairingRecord(
                id: try row.int64(0),
                expiresAt: try row.timestamp(1),
                request: PairingRecord.RequestState(rawValue: try row.text(2)) ?? .none,
                device: try row.bool(3) ? try DeviceRecord(row, from: 4) : nil
            )
        }
    }

    /// Replaces the pairing's token with `tokenSHA256`. Returns `nil` if no unused, unexpired code matches.
    package func turnInCode(
        codeSHA256: [UInt8],
        tokenSHA256: [UInt8],
        now: Timestamp
    ) async throws(PersistenceError) -> PairingRecord? {
        try await run { connection throws(PersistenceError) in
            let parameters = Parameters(of: RawBytes(bytes: codeSHA256), RawBytes(bytes: tokenSHA256), now)
            guard let row = try connection.query(DeviceStatements.turnInCode, parameters).firstRow else { return nil }
            return PairingRecord(
                id: try row.int64(0),
                expiresAt: try row.timestamp(1),
                request: .none,
                device: nil
            )
        }
    }

    /// Creates the device with the grants of its pairing. Returns `nil` if no code or token with this digest is
    /// unused, unexpired and not rejected.
    /// - Parameter approvedPeer: the address whose request a person must have approved, or `nil` if no approval is
    ///   required.
    package func pairDevice(
        secretSHA256: [UInt8],
        name: String,
        platform: String?,
        refreshToken: NewSecret,
        approvedPeer: String? = nil,
        now: Timestamp
    ) async throws(PersistenceError) -> (device: DeviceID, rights: DeviceRights)? {
        try await run { connection throws(PersistenceError) in
            let parameters = Parameters(
                of: RawBytes(bytes: secretSHA256),
                now,
                name,
                platform,
                RawBytes(bytes: refreshToken.sha256),
                refreshToken.expiresAt,
                approvedPeer
            )
            let row = try connection.madeOnce(DeviceStatements.pair, parameters, refreshToken)
            return try row.map { row throws(PersistenceError) in
                (DeviceID(rawValue: try row.int64(0)), try DeviceRights(row, from: 2))
            }
        }
    }

    /// In order of creation, including revoked devices.
    package func devices() async throws(PersistenceError) -> [DeviceRecord] {
        try await run { connection throws(PersistenceError) in
            try connection.query(DeviceStatements.list).map { row throws(PersistenceError) in
                try DeviceRecord(row, from: 0)
            }
        }
    }

    /// Devices whose access tokens are valid.
    package func activeDevices() async throws(PersistenceError) -> [DeviceID: DeviceRights] {
        try await run { connection throws(PersistenceError) in
            var devices: [DeviceID: DeviceRights] = [:]
            for row in try connection.query(DeviceStatements.active).rows {
                devices[DeviceID(rawValue: try row.int64(0))] = try DeviceRights(row, from: 1)
            }
            return devices
        }
    }

    /// Also deletes and returns the device's push tokens. Returns `nil` if the device does not exist or is no longer
    /// valid.
    package func revokeDevice(
        _ device: DeviceID,
        now: Timestamp
    ) async throws(PersistenceError) -> RemovedPushTokens? {
        try await run { connection throws(PersistenceError) in
            let result = try connection.query(DeviceStatements.revokeDevice, Parameters(of: device.rawValue, now))
            guard let tokens = try result.firstRow?.int64(0) else { return nil }
            return RemovedPushTokens(tokens: tokens, withdrawn: try PushTally(result, from: 1))
        }
    }
}

extension PQConnection {
    /// Returns device, person, name, owner and grants from a statement that creates a device with a refresh token. If
    /// the first answer was lost, a second run fails because the invitation is used or the token exists; then it
    /// returns the result of the first run.
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
    /// Decodes the columns of `DeviceStatements.columns`, from column `first`.
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

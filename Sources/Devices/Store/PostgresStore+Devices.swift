package import EventModel
package import Notifications
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
    /// - Parameters:
    ///   - machines: the machines for capabilities that are granted per machine.
    ///   - isFirst: whether it is for the link that the server prints at its start.
    package func createPairing(
        codeSHA256: [UInt8],
        token: NewSecret,
        capabilities: [Capability] = [.read],
        machines: MachineSet = .all,
        isFirst: Bool = false,
        now: Timestamp
    ) async throws(PersistenceError) -> Int64 {
        try await run { connection throws(PersistenceError) in
            let parameters = Parameters(
                of: RawBytes(bytes: codeSHA256),
                RawBytes(bytes: token.sha256),
                now,
                token.expiresAt,
                capabilities,
                machines.listed,
                isFirst
            )
            guard let id: Int64 = try connection.query(DeviceStatements.createPairing, parameters).firstValue() else {
                throw PersistenceError(.malformedReply, "the new pairing has no row")
            }
            return id
        }
    }

    /// Ends the unused pairings that earlier starts of servers made.
    package func voidFirstPairings(now: Timestamp) async throws(PersistenceError) {
        try await run { connection throws(PersistenceError) in
            _ = try connection.query(DeviceStatements.voidFirst, Parameters(of: now))
        }
    }

    package func pairing(id: Int64) async throws(PersistenceError) -> PairingRecord? {
        try await run { connection throws(PersistenceError) in
            let parameters = Parameters(of: id)
            let row = try connection.query(DeviceStatements.pairing, parameters).firstRow
            return try row.map { row throws(PersistenceError) in try row.make(PairingRecord.init) }
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
            return try row.make { PairingRecord(id: $0, expiresAt: $1, request: .none, device: nil) }
        }
    }

    /// Creates the device with the grants of its pairing. Returns `nil` if no code or token with this digest is
    /// unused, unexpired and not rejected.
    /// - Parameters:
    ///   - browserSHA256: the digest of the browser's secret, if the token goes into a browser's cookie.
    ///   - approvedPeer: the address whose request a person must have approved, or `nil` if no approval is required.
    package func pairDevice(
        secretSHA256: [UInt8],
        name: String,
        platform: String?,
        refreshToken: NewSecret,
        browserSHA256: [UInt8]? = nil,
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
                approvedPeer,
                browserSHA256.map { RawBytes(bytes: $0) }
            )
            let row = try connection.madeOnce(DeviceStatements.pair, parameters, refreshToken)
            return try row.map { row throws(PersistenceError) in (try row.value(), try row.value(2)) }
        }
    }

    /// In order of creation, including revoked devices.
    package func devices() async throws(PersistenceError) -> [DeviceRecord] {
        try await run { connection throws(PersistenceError) in
            try connection.query(DeviceStatements.list).values()
        }
    }

    /// Returns the name before and the changed device, or `nil` if it does not exist or is revoked.
    package func renameDevice(
        _ device: DeviceID,
        to name: String
    ) async throws(PersistenceError) -> (before: String, record: DeviceRecord)? {
        try await run { connection throws(PersistenceError) in
            let parameters = Parameters(of: device, name)
            guard let before: String = try connection.query(DeviceStatements.rename, parameters).firstValue() else {
                return nil
            }
            return try connection.device(device).map { (before, $0) }
        }
    }

    /// Devices whose access tokens are valid.
    package func activeDevices() async throws(PersistenceError) -> [DeviceID: DeviceRights] {
        try await run { connection throws(PersistenceError) in
            var devices: [DeviceID: DeviceRights] = [:]
            for row in try connection.query(DeviceStatements.active).rows {
                let (device, rights): (DeviceID, DeviceRights) = try row.values()
                devices[device] = rights
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
            let result = try connection.query(DeviceStatements.revokeDevice, Parameters(of: device, now))
            guard let tokens: Int64 = try result.firstValue() else { return nil }
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
        return try query(DeviceStatements.paired, Parameters(of: RawBytes(bytes: refreshToken.sha256))).firstRow
    }
}

/// The columns of `DeviceStatements.columns`.
extension DeviceRecord: PGColumn {
    package static var columnCount: Int { 10 }

    package init(from row: PQRow, _ column: Int) throws(PersistenceError) {
        self = try row.make(from: column) {
            id,
            name,
            owner,
            platform,
            createdAt,
            lastSeenAt,
            revokedAt,
            isSignedIn,
            grants,
            keys in
            DeviceRecord(
                id: id,
                name: name,
                owner: owner,
                platform: platform,
                createdAt: createdAt,
                lastSeenAt: lastSeenAt,
                revokedAt: revokedAt,
                state: revokedAt != nil ? .revoked : isSignedIn ? .active : .signedOut,
                grants: grants,
                keys: KeyNumbers.read(keys)
            )
        }
    }
}

/// The ids of keys, as `DeviceStatements.columns` returns them: numbers with spaces between.
private enum KeyNumbers {
    static func read(_ text: String) -> [Int64] { text.split(separator: " ").compactMap { Int64($0) } }
}

/// Reads the text that `GrantStatements.ofDevice` returns.
extension Grants: PGColumn {
    package init(from row: PQRow, _ column: Int) throws(PersistenceError) {
        self.init(stored: try row.value(column))
    }
}

extension PairingRecord.RequestState: PGColumn {}

package import EventModel
package import Persistence

/// A key that is not revoked, with the fields that authentication needs.
package struct ActiveKey: Sendable, Equatable {
    package var keyID: Int64
    package var machine: MachineID
    package var machineName: String
    /// SHA-256 of the whole key, 32 bytes.
    package var sha256: [UInt8]
    package var mayApprove: Bool
    /// The names of the MCP servers whose tools may be called, each on a line.
    package var toolServers: String
}

extension PostgresStore {
    /// Creates the machine if no machine has this name. An existing digest keeps its row.
    /// - Parameter device: the device that asks for the key; `nil` for the operator.
    package func createKey(
        machineName: String,
        prefix: String,
        sha256: [UInt8],
        device: DeviceID? = nil
    ) async throws(PersistenceError) -> KeyRecord {
        try await run { connection throws(PersistenceError) in
            let parameters = Parameters(of: machineName, prefix, RawBytes(bytes: sha256), device)
            guard let key: KeyRecord = try connection.query(KeyStatements.create, parameters).firstValue() else {
                throw PersistenceError(.malformedReply, "the new key has no row")
            }
            return key
        }
    }

    /// Creates the machine if no machine has this name.
    package func makeMachine(named name: String) async throws(PersistenceError) -> MachineID {
        try await run { connection throws(PersistenceError) in
            let result = try connection.query(KeyStatements.machine, Parameters(of: name))
            guard let machine: MachineID = try result.firstValue() else {
                throw PersistenceError(.malformedReply, "the machine has no row")
            }
            return machine
        }
    }

    /// In order of creation, including revoked keys.
    package func keys() async throws(PersistenceError) -> [KeyRecord] {
        try await run { connection throws(PersistenceError) in
            try connection.query(KeyStatements.list).values()
        }
    }

    /// Revokes the key with this id, or every key of the machine with this name. Returns the keys that were valid
    /// before.
    package func revokeKeys(_ idOrName: String) async throws(PersistenceError) -> [KeyRecord] {
        try await run { connection throws(PersistenceError) in
            let parameters = Parameters(of: idOrName)
            return try connection.query(KeyStatements.revoke, parameters).values()
        }
    }

    /// Grants the key with this id, or every key of the machine with this name, to ask for approvals, or takes that
    /// from it. Returns the keys that are valid.
    package func setApproval(_ idOrName: String, _ mayApprove: Bool) async throws(PersistenceError) -> [KeyRecord] {
        try await run { connection throws(PersistenceError) in
            let parameters = Parameters(of: idOrName, mayApprove)
            return try connection.query(KeyStatements.setApproval, parameters).values()
        }
    }

    /// Grants the key with this id, or every key of the machine with this name, the tools of MCP servers of a name, or
    /// takes that from it. Returns the keys that are valid.
    package func setToolServer(
        _ idOrName: String,
        _ server: String,
        _ isGranted: Bool
    ) async throws(PersistenceError) -> [KeyRecord] {
        try await run { connection throws(PersistenceError) in
            let parameters = Parameters(of: idOrName, server, isGranted)
            return try connection.query(KeyStatements.setToolServer, parameters).values()
        }
    }

    package func activeKeys() async throws(PersistenceError) -> [ActiveKey] {
        try await run { connection throws(PersistenceError) in
            try connection.query(KeyStatements.active).map { row throws(PersistenceError) in
                try row.make(ActiveKey.init)
            }
        }
    }

    /// Records when keys were last accepted. A stored time is never moved back.
    package func touchKeys(_ lastUsed: [Int64: Timestamp]) async throws(PersistenceError) {
        guard !lastUsed.isEmpty else { return }
        try await run { connection throws(PersistenceError) in
            let rows = KeyStatements.used.arrays(Array(lastUsed))
            _ = try connection.query(KeyStatements.touch, Parameters(of: rows))
        }
    }
}

/// The columns of `KeyStatements.columns`.
extension KeyRecord: PGColumn {
    package init(from row: PQRow, _ column: Int) throws(PersistenceError) {
        self = try row.make(from: column, KeyRecord.init)
    }
}

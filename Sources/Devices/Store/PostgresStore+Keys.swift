package import EventModel
package import Persistence

/// A key that is not revoked, with the fields that authentication needs.
package struct ActiveKey: Sendable, Equatable {
    package var keyID: Int64
    package var machine: MachineID
    package var machineName: String
    /// SHA-256 of the whole key, 32 bytes.
    package var sha256: [UInt8]
}

extension PostgresStore {
    /// Creates the machine if no machine has this name. An existing digest keeps its row.
    package func createKey(
        machineName: String,
        prefix: String,
        sha256: [UInt8]
    ) async throws(PersistenceError) -> KeyRecord {
        try await run { connection throws(PersistenceError) in
            let parameters = Parameters(of: machineName, prefix, RawBytes(bytes: sha256))
            guard let row = try connection.query(KeyStatements.create, parameters).firstRow else {
                throw PersistenceError(.malformedReply, "the new key has no row")
            }
            return try KeyRecord(row)
        }
    }

    /// Creates the machine if no machine has this name.
    package func makeMachine(named name: String) async throws(PersistenceError) -> MachineID {
        try await run { connection throws(PersistenceError) in
            guard let row = try connection.query(KeyStatements.machine, Parameters(of: name)).firstRow else {
                throw PersistenceError(.malformedReply, "the machine has no row")
            }
            return MachineID(rawValue: try row.int64(0))
        }
    }

    /// In order of creation, including revoked keys.
    package func keys() async throws(PersistenceError) -> [KeyRecord] {
        try await run { connection throws(PersistenceError) in
            try connection.query(KeyStatements.list).map { row throws(PersistenceError) in try KeyRecord(row) }
        }
    }

    /// Revokes the key with this id, or every key of the machine with this name. Returns the keys that were valid
    /// before.
    package func revokeKeys(_ idOrName: String) async throws(PersistenceError) -> [KeyRecord] {
        try await run { connection throws(PersistenceError) in
            let parameters = Parameters(of: idOrName)
            return try connection.query(KeyStatements.revoke, parameters).map { row throws(PersistenceError) in
                try KeyRecord(row)
            }
        }
    }

    package func activeKeys() async throws(PersistenceError) -> [ActiveKey] {
        try await run { connection throws(PersistenceError) in
            try connection.query(KeyStatements.active).map { row throws(PersistenceError) in
                ActiveKey(
                    keyID: try row.int64(0),
                    machine: MachineID(rawValue: try row.int64(1)),
                    machineName: try row.text(2),
                    sha256: try row.bytes(3)
                )
            }
        }
    }

    /// Records when keys were last accepted. A stored time is never moved back.
    package func touchKeys(_ lastUsed: [Int64: Timestamp]) async throws(PersistenceError) {
        guard !lastUsed.isEmpty else { return }
        try await run { connection throws(PersistenceError) in
            var parameters = Parameters()
            parameters.add(array: lastUsed.keys)
            parameters.add(array: lastUsed.values)
            _ = try connection.query(KeyStatements.touch, parameters)
        }
    }
}

extension KeyRecord {
    /// Decodes the columns of `KeyStatements.columns`.
    fileprivate init(_ row: PQRow) throws(PersistenceError) {
        self.init(
            id: try row.int64(0),
            machine: MachineID(rawValue: try row.int64(1)),
            machineName: try row.text(2),
            prefix: try row.text(3),
            createdAt: try row.timestamp(4),
            lastUsedAt: try row.optionalTimestamp(5),
            revokedAt: try row.optionalTimestamp(6)
        )
    }
}

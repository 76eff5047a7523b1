package import EventModel
package import Persistence

/// Device grants. The changes are durable when these functions return.
extension PostgresStore {
    /// Replaces the machines of the capability with `machines`. Returns the changed device, or `nil` if it does not
    /// exist or is revoked.
    package func grant(
        _ capability: Capability,
        on machines: MachineSet,
        to device: DeviceID,
        by granter: String?,
        now: Timestamp
    ) async throws(PersistenceError) -> DeviceRecord? {
        try await run { connection throws(PersistenceError) in
            let parameters = Parameters(of: device, capability, machines.listed, now, granter)
            guard try connection.query(GrantStatements.grant, parameters).firstRow != nil else { return nil }
            return try connection.device(device)
        }
    }

    /// Returns the changed device, or `nil` if it does not exist or is revoked.
    package func withdraw(
        _ capability: Capability,
        from device: DeviceID
    ) async throws(PersistenceError) -> DeviceRecord? {
        try await run { connection throws(PersistenceError) in
            _ = try connection.query(GrantStatements.withdraw, Parameters(of: device, capability))
            return try connection.device(device).flatMap { $0.state == .revoked ? nil : $0 }
        }
    }
}

extension PQConnection {
    func device(_ id: DeviceID) throws(PersistenceError) -> DeviceRecord? {
        try query(DeviceStatements.device, Parameters(of: id)).firstValue()
    }
}

extension MachineSet {
    /// The machines in order; `nil` for all machines.
    var listed: [MachineID]? {
        switch self {
        case .all: nil
        case .only(let machines): machines.sorted { $0.rawValue < $1.rawValue }
        }
    }
}

/// Name, owner and grants.
extension DeviceRights: PGColumn {
    package static var columnCount: Int { 3 }

    package init(from row: PQRow, _ column: Int) throws(PersistenceError) {
        self = try row.make(from: column, DeviceRights.init)
    }
}

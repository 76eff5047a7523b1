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
            var parameters = Parameters()
            parameters.add(device.rawValue)
            parameters.add(capability.rawValue)
            parameters.add(machines)
            parameters.add(now)
            parameters.add(granter)
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
            _ = try connection.query(GrantStatements.withdraw, Parameters(of: device.rawValue, capability.rawValue))
            return try connection.device(device).flatMap { $0.state == .revoked ? nil : $0 }
        }
    }
}

extension PQConnection {
    fileprivate func device(_ id: DeviceID) throws(PersistenceError) -> DeviceRecord? {
        let parameters = Parameters(of: id.rawValue)
        return try query(DeviceStatements.device, parameters).firstRow.map { row throws(PersistenceError) in
            try DeviceRecord(row, from: 0)
        }
    }
}

extension Parameters {
    /// Adds the machine numbers in order, or NULL for all machines.
    mutating func add(_ machines: MachineSet) {
        switch machines {
        case .all: add(Int64?.none)
        case .only(let machines): add(array: machines.map(\.rawValue).sorted())
        }
    }
}

extension DeviceRights {
    /// Decodes name, owner and grants, from column `first`.
    init(_ row: PQRow, from first: Int) throws(PersistenceError) {
        self.init(
            name: try row.text(first),
            owner: row.optionalText(first + 1),
            grants: Grants(stored: try row.text(first + 2))
        )
    }
}

public import EventModel

/// What devices may do. What these functions change is on disk when they return.
extension PostgresStore {
    /// Puts `machines` in the place of those that the capability covered. Returns the device as it is then; `nil`:
    /// there is none of that id that is not revoked.
    public func grant(
        _ capability: Capability,
        on machines: MachineSet,
        to device: DeviceID,
        by granter: String?,
        now: Timestamp
    ) async throws(PersistenceError) -> DeviceRecord? {
        try await pool.run { connection throws(PersistenceError) in
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

    /// Returns the device as it is then; `nil`: there is none of that id that is not revoked.
    public func withdraw(
        _ capability: Capability,
        from device: DeviceID
    ) async throws(PersistenceError) -> DeviceRecord? {
        try await pool.run { connection throws(PersistenceError) in
            var parameters = Parameters()
            parameters.add(device.rawValue)
            parameters.add(capability.rawValue)
            _ = try connection.query(GrantStatements.withdraw, parameters)
            return try connection.device(device).flatMap { $0.state == .revoked ? nil : $0 }
        }
    }
}

extension PQConnection {
    fileprivate func device(_ id: DeviceID) throws(PersistenceError) -> DeviceRecord? {
        var parameters = Parameters()
        parameters.add(id.rawValue)
        return try query(DeviceStatements.device, parameters).firstRow.map { row throws(PersistenceError) in
            try DeviceRecord(row, from: 0)
        }
    }
}

extension Parameters {
    /// The numbers of the machines, in order; NULL for all.
    mutating func add(_ machines: MachineSet) {
        switch machines {
        case .all: add(Int64?.none)
        case .only(let machines): add(array: machines.map(\.rawValue).sorted())
        }
    }
}

extension DeviceRights {
    /// Name, owner and grants, from column `first`.
    init(_ row: PQRow, from first: Int) throws(PersistenceError) {
        self.init(
            name: try row.text(first),
            owner: row.optionalText(first + 1),
            grants: Grants(stored: try row.text(first + 2))
        )
    }
}

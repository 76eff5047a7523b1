package import API
internal import Access
internal import Audit
package import EventModel
package import HTTPModel
internal import Notifications
internal import Persistence

/// What devices may do.
extension DeviceService {
    /// Returns `nil` if the device does not exist or is already revoked.
    /// - Parameter machines: names or numbers; `nil` means all machines.
    package func grant(
        _ capability: Capability,
        on names: [String]?,
        to device: DeviceID,
        _ caller: Caller
    ) async throws(APIError) -> DeviceRecord? {
        let object = "device:\(device.rawValue) \(capability.rawValue)"
        do throws(APIError) {
            try allowGrant(of: capability, to: device, caller)
        } catch {
            await audit.record(.grantCapability, on: object, .forbidden, caller)
            throw error
        }
        let (machines, now) = (try await database.machines(named: names), clock())
        let record = try await database.use { store throws(PersistenceError) in
            try await store.grant(capability, on: machines, to: device, by: caller.principal?.auditName, now: now)
        }
        await audit.record(.grantCapability, on: object, record == nil ? .unknown : .granted, caller)
        await apply(record)
        return record
    }

    /// Returns `nil` if the device does not exist or is already revoked. Does nothing if the device does not have the
    /// grant.
    package func withdraw(
        _ capability: Capability,
        from device: DeviceID,
        _ caller: Caller
    ) async throws(APIError) -> DeviceRecord? {
        let record = try await database.use { store throws(PersistenceError) in
            try await store.withdraw(capability, from: device)
        }
        await apply(record)
        if capability == .read, record != nil { try await stopPushes(to: device) }
        let object = "device:\(device.rawValue) \(capability.rawValue)"
        await audit.record(.withdrawCapability, on: object, record == nil ? .unknown : .granted, caller)
        return record
    }

    /// Pushes would contain data that the device may no longer read. If this fails, withdrawing again repeats it.
    private func stopPushes(to device: DeviceID) async throws(APIError) {
        let now = clock()
        let removed = try await database.use { store throws(PersistenceError) in
            try await store.removePushTokens(of: device, id: nil, now: now)
        }
        pushCounts.add(removed.withdrawn)
    }

    /// Takes effect at once, also on open sockets. Waits for what the device is changing with its earlier rights.
    /// Concurrent changes may arrive here in either order; the state that is read from the database afterwards decides.
    private func apply(_ record: DeviceRecord?) async {
        guard let record else { return }
        authenticator.changeGrants(of: record.id, to: record.grants)
        try? await refreshDevices()
        onRevocation()
        await authenticator.changes.settle(record.id, atMost: DeviceService.settlingSeconds)
    }

    /// - Parameter device: `nil` for a device that is not paired yet.
    func allowGrant(of capability: Capability, to device: DeviceID?, _ caller: Caller) throws(APIError) {
        guard caller.principal?.mayGrant(capability, to: device) == true else {
            let what = device == nil ? "pairs no device that has" : "grants neither itself anything nor another device"
            throw .insufficientScope(
                "A device \(what) 'administer': use the admin token, monitorctl device grant ID \(capability.rawValue)"
            )
        }
    }
}

extension StoreAccess {
    /// Takes names or numbers; `nil` means all machines.
    func machines(named names: [String]?) async throws(APIError) -> MachineSet {
        guard let names else { return .all }
        var machines: Set<MachineID> = []
        for name in names {
            guard let machine = try await self.machine(named: name) else {
                throw .invalid("unknown_machine", "There is no machine '\(name)'.", param: "machines")
            }
            machines.insert(machine)
        }
        return .only(machines)
    }
}

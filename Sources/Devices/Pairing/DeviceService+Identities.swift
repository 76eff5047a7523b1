package import API
internal import Audit
package import EventModel
package import HTTPModel
internal import Notifications
internal import Persistence

/// The people who signed in with Apple.
extension DeviceService {
    /// The people who signed in with Apple.
    package func identities() async throws(APIError) -> [AppleIdentityRecord] {
        try await database.use { store throws(PersistenceError) in try await store.appleIdentities() }
    }

    /// Removes a person and revokes the person's devices. Returns the number of devices, or `nil` if the person does
    /// not exist.
    package func removeIdentity(id: Int64, _ caller: Caller) async throws(APIError) -> Int? {
        let now = clock()
        let revoked = try await database.use { store throws(PersistenceError) in
            try await store.removeAppleIdentity(id, now: now)
        }
        let result: AuditResult = revoked == nil ? .unknown : .granted
        await audit.record(.removeIdentity, on: "identity:\(id)", result, caller)
        guard let revoked else { return nil }
        pushCounts.add(revoked.withdrawn)
        for device in revoked.devices { await lockOut(device) }
        return revoked.devices.count
    }
}

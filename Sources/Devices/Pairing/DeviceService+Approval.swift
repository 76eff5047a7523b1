package import API
internal import Access
internal import Audit
package import EventModel
package import HTTPModel
internal import Persistence

/// Devices that a person must approve.
extension DeviceService {
    /// Returns `nil` if the device is approved.
    func askForApproval(
        _ secret: PairingSecret,
        _ device: NewDevice,
        _ caller: Caller,
        _ attempt: Attempt
    ) async throws(APIError) -> PairingOutcome? {
        let now = clock()
        let state = try await database.use { store throws(PersistenceError) in
            try await store.requestPairing(
                secretSHA256: secret.digest.bytes,
                name: device.name,
                platform: device.platform,
                peer: caller.peer,
                now: now
            )
        }
        guard let state else { throw await refusePairing(.requestPairing, caller, attempt) }
        switch state.isApproved {
        case true?: return nil
        case false?:
            waiting.remove(secret.digest)
            await audit.record(.pair, on: "pairing:\(state.id)", .rejected, caller)
            throw APIError(
                .permission,
                status: 403,
                code: "pairing_rejected",
                message: "The operator has turned this device away."
            )
        case nil:
            succeeded(attempt, caller)
            if case .code(let digest) = secret { waiting.insert(digest, until: state.expiresAt, now: now) }
            if state.isNew { await audit.record(.requestPairing, on: "pairing:\(state.id)", .pending, caller) }
            return .pending(id: state.id, expiresAt: state.expiresAt)
        }
    }

    package func pairingRequests() async throws(APIError) -> [PairingRequest] {
        let now = clock()
        return try await database.use { store throws(PersistenceError) in
            try await store.waitingPairings(now: now)
        }
    }

    /// Returns false if no request with this id is waiting.
    package func decidePairing(id: Int64, isApproved: Bool, _ caller: Caller) async throws(APIError) -> Bool {
        let now = clock()
        let isDone = try await database.use { store throws(PersistenceError) in
            try await store.decidePairing(id, isApproved: isApproved, now: now)
        }
        let action: AuditAction = isApproved ? .approvePairing : .rejectPairing
        await audit.record(action, on: "pairing:\(id)", isDone ? .granted : .unknown, caller)
        return isDone
    }

    /// Voids every unused invitation and creates a new one.
    package func renewPairing(_ caller: Caller) async throws(APIError) -> NewPairing {
        let now = clock()
        try pairingStarts.take(peer: caller.peer, now: now)
        _ = try await database.use { store throws(PersistenceError) in try await store.voidPairings(now: now) }
        await audit.record(.renewPairing, .granted, caller)
        return try await openPairing(PairingWish(), caller)
    }
}

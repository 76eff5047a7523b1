internal import Access
internal import ClientAPI
internal import EventModel
internal import HTTPModel
internal import Persistence
internal import Synchronization

/// Devices that a person has to let in.
extension DeviceService {
    /// Who waits for a decision shows the same secret every second or two; that is no guessing.
    func takeAttempt(with secret: SHA256Digest?, _ caller: Caller, now: Timestamp) throws(APIError) {
        if let secret, waiting.contains(secret) {
            try refreshAttempts.take(peer: caller.peer, now: now)
        } else {
            try pairingAttempts.take(peer: caller.peer, now: now)
        }
    }

    /// `nil`: it was approved, and the device may come in.
    func askForApproval(
        _ secret: SHA256Digest,
        _ device: NewDevice,
        _ caller: Caller,
        now: Timestamp
    ) async throws(APIError) -> PairingOutcome? {
        let state = try await database.read { reader throws(PersistenceError) in
            try await reader.requestPairing(
                secretSHA256: secret.bytes,
                name: device.name,
                platform: device.platform,
                peer: caller.peer,
                now: now
            )
        }
        guard let state else { throw await refusePairing(.requestPairing, caller) }
        switch state.isApproved {
        case true?: return nil
        case false?:
            waiting.remove(secret)
            await audit.record(.pair, on: "pairing:\(state.id)", .rejected, caller)
            throw APIError(
                .permission,
                status: 403,
                code: "pairing_rejected",
                message: "The operator has turned this device away."
            )
        case nil:
            waiting.insert(secret, until: state.expiresAt, now: now)
            if state.isNew { await audit.record(.requestPairing, on: "pairing:\(state.id)", .pending, caller) }
            return .pending(id: state.id, expiresAt: state.expiresAt)
        }
    }

    func pairingRequests() async throws(APIError) -> [PairingRequest] {
        let now = clock()
        return try await database.read { reader throws(PersistenceError) in
            try await reader.waitingPairings(now: now)
        }
    }

    func decidePairing(id: Int64, isApproved: Bool, _ caller: Caller) async throws(APIError) -> Bool {
        let now = clock()
        let isDone = try await database.read { reader throws(PersistenceError) in
            try await reader.decidePairing(id, isApproved: isApproved, now: now)
        }
        let action: AuditAction = isApproved ? .approvePairing : .rejectPairing
        await audit.record(action, by: "admin", on: "pairing:\(id)", isDone ? .granted : .unknown, caller)
        return isDone
    }

    func renewPairing(_ caller: Caller) async throws(APIError) -> NewPairing {
        let now = clock()
        try pairingStarts.take(peer: caller.peer, now: now)
        _ = try await database.read { reader throws(PersistenceError) in try await reader.voidPairings(now: now) }
        await audit.record(.renewPairing, by: "admin", .granted, caller)
        return try await openPairing(caller)
    }
}

/// Good codes and tokens whose devices wait for a decision: their owners may ask more often than who guesses.
final class WaitingSecrets: Sendable {
    /// Beyond it their owners ask as seldom as others.
    private static let maximum = 256
    private let secrets = Mutex<[SHA256Digest: Timestamp]>([:])

    func contains(_ secret: SHA256Digest) -> Bool {
        secrets.withLock { $0[secret] != nil }
    }

    func insert(_ secret: SHA256Digest, until expiry: Timestamp, now: Timestamp) {
        secrets.withLock { secrets in
            if secrets.count >= WaitingSecrets.maximum { secrets = secrets.filter { $0.value > now } }
            if secrets.count < WaitingSecrets.maximum { secrets[secret] = expiry }
        }
    }

    func remove(_ secret: SHA256Digest) {
        secrets.withLock { $0[secret] = nil }
    }
}

package import EventModel
package import Persistence

/// The state of a device's pairing request.
package struct PairingRequestState: Sendable, Equatable {
    package var id: Int64
    package var expiresAt: Timestamp
    /// `nil` until a person decides.
    package var isApproved: Bool?
    /// This is the device's first request.
    package var isNew: Bool
}

/// Pairings that a person must approve. The changes are durable when these functions return.
extension PostgresStore {
    /// Returns `nil` if no unused, unexpired code or token has this digest, or if a device at another address asked
    /// first.
    package func requestPairing(
        secretSHA256: [UInt8],
        name: String,
        platform: String?,
        peer: String,
        now: Timestamp
    ) async throws(PersistenceError) -> PairingRequestState? {
        try await run { connection throws(PersistenceError) in
            let parameters = Parameters(of: RawBytes(bytes: secretSHA256), now, name, platform, peer)
            guard let row = try connection.query(ApprovalStatements.request, parameters).firstRow else { return nil }
            let (id, expiresAt, decision, isNew): (Int64, Timestamp, String?, Bool) = try row.values()
            return PairingRequestState(
                id: id,
                expiresAt: expiresAt,
                isApproved: decision.map { $0 == "approved" },
                isNew: isNew
            )
        }
    }

    package func waitingPairings(now: Timestamp) async throws(PersistenceError) -> [PairingRequest] {
        try await run { connection throws(PersistenceError) in
            let parameters = Parameters(of: now)
            return try connection.query(ApprovalStatements.waiting, parameters).map { row throws(PersistenceError) in
                try row.make(PairingRequest.init)
            }
        }
    }

    /// Returns false if no request with this id is waiting, or if the opposite was decided before.
    package func decidePairing(
        _ id: Int64,
        isApproved: Bool,
        now: Timestamp
    ) async throws(PersistenceError) -> Bool {
        try await run { connection throws(PersistenceError) in
            let parameters = Parameters(of: id, isApproved ? "approved" : "rejected", now)
            return try connection.query(ApprovalStatements.decide, parameters).firstRow != nil
        }
    }

    /// Ends every unused invitation and returns their number.
    package func voidPairings(now: Timestamp) async throws(PersistenceError) -> Int {
        try await run { connection throws(PersistenceError) in
            return try connection.query(ApprovalStatements.voidAll, Parameters(of: now)).rowCount
        }
    }
}

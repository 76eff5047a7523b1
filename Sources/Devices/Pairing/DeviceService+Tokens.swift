package import API
internal import Access
internal import Audit
internal import EventModel
package import HTTPModel
internal import Logging
internal import Persistence
internal import Signing

/// Refresh tokens. Each can be used once.
extension DeviceService {
    private static let refreshTokenSeconds = 60.0 * 86_400
    /// Maximum number of rereads of a family that is changed concurrently.
    private static let maximumReadings = 16

    package func refresh(
        _ refreshToken: String,
        of holder: TokenHolder,
        _ caller: Caller
    ) async throws(APIError) -> IssuedTokens {
        let policy = holder.isBrowser ? RefreshPolicy.ofBrowsers : RefreshPolicy()
        guard let shown = OpaqueToken(refreshToken, kind: .refresh) else { throw await refuse(.unknown, nil, caller) }
        try limitRepeats(of: shown.digest, now: clock())
        for _ in 0..<DeviceService.maximumReadings {
            let now = clock()
            let record = try await self.record(of: shown)
            if let record, !holder.mayUse(record) { throw await refuse(.forbidden, record, caller) }
            switch policy.decide(record.map(RefreshPolicy.Situation.init), now: now) {
            case .refuse(let refusal):
                throw await refuse(AuditResult(refusal), record, caller)
            case .revokeFamily:
                if let record { try await revokeFamily(record, because: "reuse", now: now) }
                throw await refuse(.reuse, record, caller)
            case .rotate, .repeatLostAnswer:
                guard let record else { continue }
                try limitRepeats(by: record.device, now: now)
                if let tokens = try await replace(record, now: now) {
                    await audit.record(.refresh, on: "device:\(record.device.rawValue)", .granted, caller)
                    return tokens
                }
            }
        }
        throw .unavailable("refresh_contended", "The token is being used elsewhere just now. Try again.", retryAfter: 1)
    }

    /// Does not reveal whether the token was valid (RFC 7009 section 2.2).
    package func signOut(_ refreshToken: String, of holder: TokenHolder, _ caller: Caller) async throws(APIError) {
        let shown = OpaqueToken(refreshToken, kind: .refresh)
        if let shown { try limitRepeats(of: shown.digest, now: clock()) }
        guard let shown, let record = try await record(of: shown), !record.isRevoked, holder.mayUse(record)
        else {
            await audit.record(.signOut, .unknown, caller)
            return try tokenAttempts.take(peer: caller.peer, now: clock())
        }
        try await revokeFamily(record, because: "signed_out", now: clock())
        await audit.record(.signOut, on: "device:\(record.device.rawValue)", .granted, caller)
    }

    func newRefreshToken(now: Timestamp) -> (OpaqueToken, NewSecret) {
        var random = SystemRandomNumberGenerator()
        let token = OpaqueToken.generate(.refresh, using: &random)
        let expiresAt = now.adding(seconds: DeviceService.refreshTokenSeconds)
        return (token, NewSecret(sha256: token.digest.bytes, expiresAt: expiresAt))
    }

    func issue(
        _ refreshToken: OpaqueToken,
        _ stored: NewSecret,
        for device: DeviceID,
        isBrowser: Bool = false,
        now: Timestamp
    ) throws(APIError) -> IssuedTokens {
        let access: (text: String, expiresAt: Timestamp)
        do throws(SigningError) {
            // The page keeps its socket as long as the browser is signed in.
            access = try tokens.issue(for: device, socketsEndAt: isBrowser ? stored.expiresAt : nil, now: now)
        } catch {
            logger.error("token not signed", metadata: ["error": "\(error)"])
            throw APIError(.internalError, status: 500, code: "signing_failed", message: "No token could be signed.")
        }
        return IssuedTokens(
            device: device,
            accessToken: access.text,
            accessTokenExpiresAt: access.expiresAt,
            accessTokenSeconds: Int(DeviceTokens.lifetimeSeconds),
            refreshToken: refreshToken.text,
            refreshTokenExpiresAt: stored.expiresAt
        )
    }

    /// When this returns, this server refuses all requests of the device, has finished what it was changing, and closes
    /// its sockets.
    func lockOut(_ device: DeviceID) async {
        authenticator.removeDevice(device)
        onRevocation()
        await authenticator.changes.settle(device, atMost: DeviceService.settlingSeconds)
    }

    private func record(of token: OpaqueToken) async throws(APIError) -> RefreshTokenRecord? {
        try await database.use { store throws(PersistenceError) in
            try await store.refreshToken(sha256: token.digest.bytes)
        }
    }

    /// Returns `nil` if the family was changed concurrently.
    private func replace(_ record: RefreshTokenRecord, now: Timestamp) async throws(APIError) -> IssuedTokens? {
        let (token, stored) = newRefreshToken(now: now)
        let isAdded = try await database.use { store throws(PersistenceError) in
            try await store.addRefreshToken(stored, for: record, now: now)
        }
        return isAdded ? try issue(token, stored, for: record.device, isBrowser: record.isBrowser, now: now) : nil
    }

    private func revokeFamily(
        _ record: RefreshTokenRecord,
        because reason: String,
        now: Timestamp
    ) async throws(APIError) {
        try await database.use { store throws(PersistenceError) in
            try await store.revokeFamily(record.familyID, because: reason, now: now)
        }
        await lockOut(record.device)
    }

    private func refuse(_ result: AuditResult, _ record: RefreshTokenRecord?, _ caller: Caller) async -> APIError {
        await audit.record(.refresh, on: record.map { "device:\($0.device.rawValue)" }, result, caller)
        let error = APIError(
            .authentication,
            status: 401,
            code: "invalid_refresh_token",
            message: "The refresh token is unknown, used, expired or revoked. Pair the device again."
        )
        return failed(.unguessable, error, caller)
    }
}

extension RefreshPolicy.Situation {
    fileprivate init(_ record: RefreshTokenRecord) {
        self.init(
            generation: record.generation,
            expiresAt: record.expiresAt,
            familyGeneration: record.familyGeneration,
            validFrom: record.validFrom,
            predecessor: record.predecessor,
            rotatedAt: record.rotatedAt,
            isRevoked: record.isRevoked
        )
    }
}

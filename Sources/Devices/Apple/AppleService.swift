package import API
package import Access
internal import Audit
internal import EventModel
package import HTTPModel
internal import Persistence
internal import Signing

/// Sign in with Apple: an admitted person with a valid token gets a device.
package struct AppleService: Sendable {
    static let nonceSeconds = 600

    let devices: DeviceService
    let keys: AppleKeys
    let rules: AppleTokenRules
    let allowlist: AppleAllowlist

    package init(devices: DeviceService, keys: AppleKeys, rules: AppleTokenRules, allowlist: AppleAllowlist) {
        (self.devices, self.keys, self.rules, self.allowlist) = (devices, keys, rules, allowlist)
    }

    /// Starts an attempt with a nonce, which is valid for one attempt.
    package func beginSignIn(_ caller: Caller) async throws(APIError) -> PairingToken {
        let now = devices.clock()
        try devices.nonces.take(peer: caller.peer, now: now)
        var random = SystemRandomNumberGenerator()
        let nonce = OpaqueToken.generate(.nonce, using: &random)
        let expiresAt = now.adding(seconds: Double(AppleService.nonceSeconds))
        let stored = NewSecret(sha256: nonce.digest.bytes, expiresAt: expiresAt)
        try await devices.database.use { store throws(PersistenceError) in
            try await store.addSignInNonce(stored, now: now)
        }
        return PairingToken(text: nonce.text, expiresAt: expiresAt, remainingSeconds: AppleService.nonceSeconds)
    }

    /// Creates the device if the person is admitted. If an invitation needs approval, the device may have to wait.
    package func signIn(
        _ attempt: AppleAttempt,
        as device: NewDevice,
        _ caller: Caller
    ) async throws(APIError) -> PairingOutcome {
        let now = devices.clock()
        let secret = attempt.invitation.flatMap(PairingSecret.init)
        let kind =
            attempt.invitation == nil ? .unguessable : try devices.begin(with: secret, caller, now: now)
        let identity = try await identity(of: attempt, caller, now: now)
        if devices.needsApproval, let secret,
            let outcome = try await devices.askForApproval(secret, device, caller, kind)
        {
            return outcome
        }
        try await useNonce(of: attempt, caller, now: now)
        let person = AppleSignIn(
            subject: identity.subject,
            verifiedEmail: identity.verifiedEmail,
            isAllowedSubject: allowlist.allowsSubject(of: identity),
            allowedEmail: allowlist.email(of: identity),
            allowedEmails: allowlist.emails,
            invitationSHA256: secret?.digest.bytes,
            approvedPeer: devices.needsApproval ? caller.peer : nil
        )
        let tokens = try await admit(person, with: device, caller, now: now)
        devices.succeeded(kind, caller)
        if let secret { devices.waiting.remove(secret.digest) }
        return .tokens(tokens)
    }

    private func admit(
        _ person: AppleSignIn,
        with device: NewDevice,
        _ caller: Caller,
        now: Timestamp
    ) async throws(APIError) -> IssuedTokens {
        let (refreshToken, stored) = devices.newRefreshToken(now: now)
        let admitted = try await devices.database.use { store throws(PersistenceError) in
            try await store.signIn(
                person,
                deviceName: device.name,
                platform: device.platform,
                refreshToken: stored,
                now: now
            )
        }
        guard let admitted else {
            await devices.audit.record(.signIn, by: "apple:\(person.subject)", .notAdmitted, caller)
            let error = APIError(
                .permission,
                status: 403,
                code: "not_admitted",
                message: "Apple knows you, this server does not. Sign in with a pairing code from its operator."
            )
            throw devices.failed(.unguessable, error, caller)
        }
        await devices.audit.record(
            .signIn,
            by: "identity:\(admitted.identity)",
            on: "device:\(admitted.device.rawValue)",
            .granted,
            caller
        )
        devices.authenticator.addDevice(admitted.device, admitted.rights)
        return try devices.issue(refreshToken, stored, for: admitted.device, now: now)
    }

    private func identity(
        of attempt: AppleAttempt,
        _ caller: Caller,
        now: Timestamp
    ) async throws(APIError) -> AppleIdentity {
        let key: RS256PublicKey
        do throws(AppleRefusal) {
            key = try await self.key(of: attempt.identityToken)
        } catch {
            throw await refuse(error, caller)
        }
        do throws(AppleTokenError) {
            return try rules.identity(in: attempt.identityToken, signedBy: key, nonce: attempt.nonce, now: now)
        } catch {
            throw await refuse(.token(AuditResult(error)), caller)
        }
    }

    /// Checked last, so that neither a wrong token nor waiting for approval uses up the nonce.
    private func useNonce(of attempt: AppleAttempt, _ caller: Caller, now: Timestamp) async throws(APIError) {
        guard let nonce = OpaqueToken(attempt.nonce, kind: .nonce),
            try await devices.database.use({ store throws(PersistenceError) in
                try await store.useSignInNonce(sha256: nonce.digest.bytes, now: now)
            })
        else { throw await refuse(.token(.replayedNonce), caller) }
    }

    private enum AppleRefusal: Error {
        case token(AuditResult)
        case keys(APIError)
    }

    private func key(of token: String) async throws(AppleRefusal) -> RS256PublicKey {
        guard token.utf8.count <= AppleTokenRules.maximumBytes,
            let keyID = try? JSONWebToken.unverifiedKeyID(ofRS256: token)
        else { throw .token(AuditResult(.malformed)) }
        do throws(APIError) {
            if let key = try await keys.key(id: keyID) { return key }
        } catch {
            throw .keys(error)
        }
        throw .token(.unknownKey)
    }

    /// Only the audit log records what exactly is wrong with a token.
    private func refuse(_ refusal: AppleRefusal, _ caller: Caller) async -> APIError {
        switch refusal {
        case .keys(let error):
            await devices.audit.record(.signIn, .keysUnavailable, caller)
            return error
        case .token(let result):
            await devices.audit.record(.signIn, result, caller)
            let error = APIError(
                .authentication,
                status: 401,
                code: "invalid_identity_token",
                message: "The identity token is not one of Apple for this attempt. Begin again with a new nonce."
            )
            return devices.failed(.unguessable, error, caller)
        }
    }
}

package import API
package import Access
package import Audit
package import EventModel
package import HTTPModel
internal import Logging
package import Notifications
package import Persistence

/// Pairs and revokes devices, and refreshes the authenticator's set of devices.
package struct DeviceService: Sendable {
    static let pairingSeconds = 300
    /// Of the pairing that the server prints when it starts.
    package static let firstPairingSeconds = 600
    /// How long a revocation waits for changes of the device that are in progress.
    static let settlingSeconds = 2.0

    package let authenticator: Authenticator
    let tokens: DeviceTokens
    package let audit: AccessAudit
    let pushCounts: PushCounts
    /// Called when a device must no longer be served; from any thread.
    let onRevocation: @Sendable () -> Void
    /// Whether a person must approve each device.
    let needsApproval: Bool
    let waiting = WaitingCodes()
    /// For codes, which are short enough to be guessed: 40 bits, 20 attempts and then one per second for 300 s give a
    /// chance of one in 3 000 million. Only code attempts draw on this limit, so guessing only blocks users who type
    /// a code.
    let codeAttempts = AttemptLimiter(
        perPeer: RateLimit(requestsPerSecond: 0.1, burst: 10),
        overAll: RateLimit(requestsPerSecond: 1, burst: 20)
    )
    /// Each pairing is a row in the database. The limit keeps a page that is reloaded repeatedly from filling it.
    let pairingStarts = AttemptLimiter(
        perPeer: RateLimit(requestsPerSecond: 1, burst: 100),
        overAll: RateLimit(requestsPerSecond: 2, burst: 200)
    )
    /// For failed attempts with unguessable secrets: refresh and pairing tokens, and Apple's tokens. A correct secret
    /// is not charged and never refused, whatever other clients at the same address do.
    let tokenAttempts = AttemptLimiter(
        perPeer: RateLimit(requestsPerSecond: 1, burst: 60),
        overAll: RateLimit(requestsPerSecond: 50, burst: 500)
    )
    /// Keeps repeated requests of a client off the database, by presented secret and by device.
    let repeats = AttemptLimiter(perPeer: RateLimit(requestsPerSecond: 1, burst: 60), overAll: nil)
    /// Each nonce is a row in the database.
    let nonces = AttemptLimiter(
        perPeer: RateLimit(requestsPerSecond: 1, burst: 60),
        overAll: RateLimit(requestsPerSecond: 50, burst: 500)
    )

    /// - Parameter onRevocation: called when a device must no longer be served; from any thread.
    package init(
        authenticator: Authenticator,
        tokens: DeviceTokens,
        audit: AccessAudit,
        pushCounts: PushCounts,
        onRevocation: @escaping @Sendable () -> Void,
        needsApproval: Bool
    ) {
        (self.authenticator, self.tokens, self.audit) = (authenticator, tokens, audit)
        (self.pushCounts, self.onRevocation, self.needsApproval) = (pushCounts, onRevocation, needsApproval)
    }

    var database: any StoreAccess { audit.database }
    package var clock: @Sendable () -> Timestamp { audit.clock }
    var logger: Logger { audit.logger }

    /// Only this answer contains the code and the token.
    /// - Parameter wish: the grants of the device that uses the pairing.
    package func createPairing(_ wish: PairingWish, _ caller: Caller) async throws(APIError) -> NewPairing {
        try pairingStarts.take(peer: caller.peer, now: clock())
        return try await openPairing(wish, caller)
    }

    /// A pairing for the first browser of the person who starts the server. It may administer. Ends the pairings of
    /// earlier starts. Returns `nil` if a device may administer already.
    ///
    /// - Parameter isShown: whether the person can see it; if not, none is made.
    package func renewFirstPairing(isShown: Bool) async throws(APIError) -> NewPairing? {
        let now = clock()
        try await database.use { store throws(PersistenceError) in try await store.voidFirstPairings(now: now) }
        guard isShown else { return nil }
        let isOwned = try await devices().contains { $0.state == .active && $0.grants.allow(.administer, on: nil) }
        guard !isOwned else { return nil }
        var wish = PairingWish()
        wish.capabilities = [.read, .respond, .administer]
        let server = Caller(peer: "", requestID: "start", principal: .admin)
        return try await openPairing(wish, server, seconds: DeviceService.firstPairingSeconds, isFirst: true)
    }

    /// - Parameters:
    ///   - seconds: how long the pairing can be used.
    ///   - isFirst: whether it is for the link of the server's start. It then has no code, which could be guessed.
    func openPairing(
        _ wish: PairingWish,
        _ caller: Caller,
        seconds: Int = DeviceService.pairingSeconds,
        isFirst: Bool = false
    ) async throws(APIError) -> NewPairing {
        for capability in wish.capabilities { try allowGrant(of: capability, to: nil, caller) }
        let machines = try await database.machines(named: wish.machines)
        var random = SystemRandomNumberGenerator()
        let code = PairingCode.generate(using: &random)
        let token = OpaqueToken.generate(.pairing, using: &random)
        let now = clock()
        let expiresAt = now.adding(seconds: Double(seconds))
        let secret = NewSecret(sha256: token.digest.bytes, expiresAt: expiresAt)
        let id = try await database.use { store throws(PersistenceError) in
            try await store.createPairing(
                codeSHA256: (isFirst ? OpaqueToken.generate(.pairing, using: &random).digest : code.digest).bytes,
                token: secret,
                capabilities: wish.capabilities,
                machines: machines,
                isFirst: isFirst,
                now: now
            )
        }
        await audit.record(.createPairing, on: "pairing:\(id)", .granted, caller)
        return NewPairing(
            id: id,
            code: code.text,
            token: token.text,
            cdevToken: token.cdevText,
            expiresAt: expiresAt,
            lifetimeSeconds: seconds
        )
    }

    package func pairing(id: Int64) async throws(APIError) -> PairingRecord? {
        try await database.use { store throws(PersistenceError) in try await store.pairing(id: id) }
    }

    /// Exchanges a short code for a token and uses up the code.
    package func turnInCode(_ code: String, _ caller: Caller) async throws(APIError) -> PairingToken {
        let now = clock()
        try codeAttempts.take(peer: caller.peer, now: now)
        var random = SystemRandomNumberGenerator()
        let token = OpaqueToken.generate(.pairing, using: &random)
        guard let code = PairingCode(code),
            let pairing = try await database.use({ store throws(PersistenceError) in
                try await store.turnInCode(
                    codeSHA256: code.digest.bytes,
                    tokenSHA256: token.digest.bytes,
                    now: now
                )
            })
        else { throw await refusePairing(.turnInCode, caller) }
        codeAttempts.giveBack(peer: caller.peer)
        await audit.record(.turnInCode, on: "pairing:\(pairing.id)", .granted, caller)
        let remaining = pairing.expiresAt.seconds(since: now)
        return PairingToken(text: token.cdevText, expiresAt: pairing.expiresAt, remainingSeconds: Int(remaining))
    }

    /// Creates the device and uses up `secret`, a code or a token. If a person must approve, records the request
    /// instead.
    package func pair(secret: String, as device: NewDevice, _ caller: Caller) async throws(APIError) -> PairingOutcome {
        let now = clock()
        let secret = PairingSecret(secret)
        let attempt = try begin(with: secret, caller, now: now)
        guard let shown = secret else { throw await refusePairing(.pair, caller, attempt) }
        if needsApproval, let outcome = try await askForApproval(shown, device, caller, attempt) { return outcome }
        let (refreshToken, stored) = newRefreshToken(now: now)
        guard
            let (id, rights) = try await database.use({ store throws(PersistenceError) in
                try await store.pairDevice(
                    secretSHA256: shown.digest.bytes,
                    name: device.name,
                    platform: device.platform,
                    refreshToken: stored,
                    browserSHA256: device.browserSHA256,
                    approvedPeer: needsApproval ? caller.peer : nil,
                    now: now
                )
            })
        else { throw await refusePairing(.pair, caller, attempt) }
        succeeded(attempt, caller)
        waiting.remove(shown.digest)
        await audit.record(.pair, on: "device:\(id.rawValue)", .granted, caller)
        authenticator.addDevice(id, rights)
        return .tokens(
            try issue(refreshToken, stored, for: id, isBrowser: device.browserSHA256 != nil, now: now)
        )
    }

    package func devices() async throws(APIError) -> [DeviceRecord] {
        try await database.use { store throws(PersistenceError) in try await store.devices() }
    }

    /// Changes the name that people see. What was recorded under the old name keeps it.
    ///
    /// - Returns: `nil` if the device does not exist or is already revoked.
    package func rename(_ device: DeviceID, to name: String, _ caller: Caller) async throws(APIError) -> DeviceRecord? {
        let renamed = try await database.use { store throws(PersistenceError) in
            try await store.renameDevice(device, to: name)
        }
        // Answers are recorded under the name that the authenticator keeps.
        if renamed != nil { try? await refreshDevices() }
        let names = renamed.map { " \($0.before) → \(name)" } ?? ""
        let object = "device:\(device.rawValue)\(names)"
        await audit.record(.renameDevice, on: object, renamed == nil ? .unknown : .granted, caller)
        return renamed?.record
    }

    /// Returns false if the device does not exist or is already revoked.
    package func revoke(_ device: DeviceID, _ caller: Caller) async throws(APIError) -> Bool {
        let now = clock()
        let removed = try await database.use { store throws(PersistenceError) in
            try await store.revokeDevice(device, now: now)
        }
        let isRevoked = removed != nil
        if let removed { pushCounts.add(removed.withdrawn) }
        let result: AuditResult = isRevoked ? .granted : .unknown
        await audit.record(.revokeDevice, on: "device:\(device.rawValue)", result, caller)
        if isRevoked { await lockOut(device) }
        return isRevoked
    }

    package func refreshDevices() async throws(APIError) {
        try await database.use { store throws(PersistenceError) in try await load(from: store) }
    }

    /// Called at startup, before the database counts as ready.
    package func load(from store: PostgresStore) async throws(PersistenceError) {
        let reading = authenticator.beginReadingDevices()
        authenticator.replaceDevices(try await store.activeDevices(), reading: reading)
    }

    /// Gives the same answer for an unknown, used or expired secret, so that a client cannot distinguish them.
    func refusePairing(_ action: AuditAction, _ caller: Caller, _ attempt: Attempt = .guess) async -> APIError {
        await audit.record(action, .unknown, caller)
        let error = APIError(
            .permission,
            status: 403,
            code: "invalid_pairing",
            message: "The pairing code or token is wrong, used or expired. Make another: monitorctl device pair"
        )
        return failed(attempt, error, caller)
    }
}

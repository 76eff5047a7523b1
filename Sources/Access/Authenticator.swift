package import EventModel
package import HTTPModel
internal import Synchronization

/// Authenticates requests from memory, without waiting for the database. The composition root replaces the sets of
/// keys and devices every few seconds, and immediately after this server creates or revokes one.
package final class Authenticator: Sendable {
    private let adminToken: SHA256Digest
    /// `nil` until the keys are first read. Until then no key can be rejected as wrong.
    private let keys = Mutex<KeySet?>(nil)
    private let loads = Mutex<(started: UInt64, applied: UInt64)>((0, 0))
    /// Verifies device tokens, with the clock for their expiry.
    package typealias DeviceGate = (tokens: DeviceTokens, clock: @Sendable () -> Timestamp)

    let gate: DeviceGate?
    let tickets: DeviceTickets?
    let used = Mutex(UsedTickets())
    private struct Devices {
        /// Admitted devices; `nil` until they are first read.
        var active: [DeviceID: DeviceRights]?
        /// Reads are numbered in the order in which they start.
        var begun = 0
        /// Results of reads with a lower number are outdated.
        var newest = 0
    }

    private let devices = Mutex(Devices())
    package let changes = DeviceChanges()

    /// - Parameter gate: `nil` if devices are not supported.
    package init(
        adminToken: String,
        gate: DeviceGate? = nil,
        tickets: DeviceTickets? = nil
    ) {
        self.adminToken = SHA256Digest(of: adminToken)
        (self.gate, self.tickets) = (gate, tickets)
    }

    package convenience init(
        adminToken: String,
        signers: DeviceSigners,
        clock: @escaping @Sendable () -> Timestamp
    ) {
        self.init(
            adminToken: adminToken,
            gate: (signers.tokens, clock),
            tickets: signers.tickets
        )
    }

    /// Call before the devices are read from the database. Returns the number of the read.
    package func beginReadingDevices() -> Int {
        devices.withLock { devices in
            devices.begun += 1
            return devices.begun
        }
    }

    /// Applies the result of a read. Ignored if a read that started later has been applied, or a device was added or
    /// removed since this read started.
    package func replaceDevices(_ active: [DeviceID: DeviceRights], reading: Int) {
        devices.withLock { devices in
            guard reading > devices.newest else { return }
            devices.newest = reading
            devices.active = active
        }
    }

    /// When this returns, the device is admitted.
    package func addDevice(_ device: DeviceID, _ rights: DeviceRights) {
        devices.withLock { devices in
            devices.active?[device] = rights
            devices.newest = devices.begun
        }
    }

    /// When this returns, the device has exactly these grants. Does not admit a device.
    package func changeGrants(of device: DeviceID, to grants: Grants) {
        devices.withLock { devices in
            devices.active?[device]?.grants = grants
            devices.newest = devices.begun
        }
    }

    /// When this returns, the device is refused.
    package func removeDevice(_ device: DeviceID) {
        devices.withLock { devices in
            devices.active?[device] = nil
            devices.newest = devices.begun
        }
    }

    /// The same sender with its present rights. Throws if it is no longer admitted, or has lost the capability.
    package func renewed(_ principal: Principal, for capability: Capability?) throws(APIError) -> Principal {
        guard case .device(let claims, _) = principal.holder else { return principal }
        let renewed = try admit(claims)
        return if let capability { try renewed.having(capability) } else { renewed }
    }

    /// The sender with its present rights, or `nil` if it is no longer admitted. Machine keys and the admin token do
    /// not change.
    package func current(_ principal: Principal) -> Principal? {
        switch principal.holder {
        case .device(let claims, _): current(claims)
        case .apiKey(let key): current(key).map { Principal(.apiKey($0)) }
        case .machine, .admin: principal
        }
    }

    private func current(_ key: APIKeyGrant) -> APIKeyGrant? {
        guard let found = keys.withLock({ $0?.program(key.id) }), !hasExpired(found) else { return nil }
        return found
    }

    private func hasExpired(_ key: APIKeyGrant) -> Bool {
        guard let end = key.expiresAt, let gate else { return false }
        return end <= gate.clock()
    }

    /// The device's current principal, or `nil` if it is no longer admitted.
    package func current(_ claims: DeviceClaims) -> Principal? {
        devices.withLock { $0.active?[claims.device] }.map { Principal(.device(claims, $0)) }
    }

    /// Whether any admitted device has the capability on the machine. True before the devices are first read.
    package func hasDevice(_ capability: Capability, on machine: MachineID) -> Bool {
        devices.withLock { devices in
            devices.active?.values.contains { $0.grants.allow(capability, on: machine) } ?? true
        }
    }

    /// The principal of an admitted device. For a right that the device exercises without its access token.
    package func principal(of device: DeviceID, now: Timestamp) -> Principal? {
        current(DeviceClaims(device: device, refusedFrom: now))
    }

    /// Changes whenever the keys change.
    package var keysGeneration: UInt64 { loads.withLock { $0.applied } }

    /// Whether the machine's key is still valid.
    package func knows(_ grant: MachineGrant) -> Bool {
        keys.withLock { $0?.machines.values.contains(grant) ?? true }
    }

    /// Whether the machine's key may ask for approvals that no file of the machine limits.
    package func mayApprove(_ grant: MachineGrant) -> Bool {
        guard let key = grant.keyID else { return false }
        return keys.withLock { $0?.approvers.contains(key) ?? false }
    }

    /// The names of the MCP servers whose tools programs with the machine's key may call.
    package func toolServers(of grant: MachineGrant) -> Set<String> {
        guard let key = grant.keyID else { return [] }
        return keys.withLock { $0?.toolServers[key] ?? [] }
    }

    /// Call before a set of keys is read. Of two sets, the one whose read started later is newer.
    package func beginLoad() -> KeyLoad {
        loads.withLock { loads in
            loads.started += 1
            return KeyLoad(number: loads.started)
        }
    }

    /// Ignored if a newer set is already in place.
    package func replaceKeys(_ replacement: KeySet, load: KeyLoad) {
        loads.withLock { loads in
            guard load.number > loads.applied else { return }
            loads.applied = load.number
            keys.withLock { $0 = replacement }
        }
    }

    /// The sender, if it has the capability. Throws 401 without a valid credential, and 403 without the capability.
    package func authorize(_ request: HTTPRequest, for capability: Capability) throws(APIError) -> Principal {
        try authenticate(request).having(capability)
    }

    /// Whether an unknown credential has neither the form of a key nor that of a device token.
    package static func mayBeGuess(_ request: HTTPRequest) -> Bool {
        guard let credential = try? Credential.read(from: request.headers) else { return false }
        return AccessKey.Kind(claimedBy: credential) == nil
    }

    /// The sender, whatever its capabilities.
    package func authenticate(_ request: HTTPRequest) throws(APIError) -> Principal {
        guard let credential = try Credential.read(from: request.headers) else {
            throw Credential.missing
        }
        let digest = SHA256Digest(of: credential)
        if digest.isEqual(to: adminToken) { return .admin }
        if let gate, credential.utf8.count(where: { $0 == UInt8(ascii: ".") }) == 2 {
            return try device(credential, gate)
        }
        guard let found = keys.withLock({ $0 }) else {
            throw .unavailable("keys_unknown", "The keys have not been read from the database yet.", retryAfter: 2)
        }
        if let grant = found.machines[digest] { return Principal(.machine(grant)) }
        if let key = found.programs[digest] { return try program(key) }
        let isMistyped = AccessKey.Kind(claimedBy: credential) != nil && AccessKey(credential) == nil
        throw .unauthorized(
            "invalid_api_key",
            isMistyped
                ? "The key is incomplete or mistyped: its check characters do not fit."
                : "The credential is unknown or was revoked."
        )
    }
}

extension Authenticator {
    private func program(_ key: APIKeyGrant) throws(APIError) -> Principal {
        guard !hasExpired(key) else { throw .unauthorized("key_expired", "The API key has expired.") }
        return Principal(.apiKey(key))
    }

    private func device(_ token: String, _ gate: DeviceGate) throws(APIError) -> Principal {
        let claims: DeviceClaims
        do throws(DeviceTokenError) {
            claims = try gate.tokens.verify(token, now: gate.clock())
        } catch {
            throw error.apiError
        }
        return try admit(claims)
    }

    /// Throws if the device is no longer admitted.
    func admit(_ claims: DeviceClaims) throws(APIError) -> Principal {
        guard let active = devices.withLock({ $0.active }) else {
            throw .unavailable(
                "devices_unknown",
                "The devices have not been read from the database yet.",
                retryAfter: 2
            )
        }
        guard let rights = active[claims.device] else {
            throw .unauthorized("device_revoked", "This device was revoked or signed out. Pair it again.")
        }
        return Principal(.device(claims, rights))
    }
}

extension DeviceTokenError {
    fileprivate var apiError: APIError {
        switch self {
        case .expired:
            .unauthorized("token_expired", "The access token has expired. Get another with the refresh token.")
        case .notYetValid: .unauthorized("token_not_yet_valid", "The access token is not valid yet.")
        case .malformed, .notAuthentic, .foreign:
            .unauthorized("invalid_token", "The access token is not one of this server.")
        }
    }
}

extension Principal {
    package func having(_ capability: Capability) throws(APIError) -> Principal {
        guard may(capability) else { throw .insufficientScope(lacking(capability)) }
        return self
    }
}

extension APIError {
    fileprivate static func unauthorized(_ code: String, _ message: String) -> APIError {
        APIError(.authentication, status: 401, code: code, message: message)
    }
}

/// The order of one read of the keys among all reads.
package struct KeyLoad: Sendable {
    let number: UInt64
}

package import API
package import Access
package import Audit
package import EventModel
package import HTTPModel
package import Persistence

/// Creates and revokes machine keys. Keeps the authenticator's copy of all keys up to date.
package struct KeyService: Sendable {
    /// Seconds for which a key that another node revoked may still be accepted here.
    package static let refreshSeconds = 2.0

    let database: any StoreAccess
    let authenticator: Authenticator
    let audit: AccessAudit
    private let use = KeyUse()
    private let apiKeyUse = KeyUse()
    private let operatorMachine = OperatorMachine()

    package init(database: any StoreAccess, authenticator: Authenticator, audit: AccessAudit) {
        (self.database, self.authenticator, self.audit) = (database, authenticator, audit)
    }

    /// The machine of events that the operator posts with the admin token; `nil` until the database was reached once.
    package var operatorGrant: MachineGrant? {
        operatorMachine.id.map { MachineGrant(keyID: nil, machine: $0, machineName: OperatorMachine.name) }
    }

    /// Call when a key was accepted. Does no I/O.
    package func accepted(_ keyID: Int64, at time: Timestamp) { use.accepted(keyID, at: time) }

    /// Call when an API key was accepted. Does no I/O.
    package func accepted(_ key: APIKeyGrant, at time: Timestamp) { apiKeyUse.accepted(key.id, at: time) }

    /// Only this answer contains the key's text. Creates the machine if no machine has this name.
    package func createKey(machineName: String, _ caller: Caller) async throws(APIError) -> (
        record: KeyRecord, key: String
    ) {
        var random = SystemRandomNumberGenerator()
        let key = AccessKey.generate(.machine, using: &random)
        let record = try await database.use { store throws(PersistenceError) in
            try await store.createKey(
                machineName: machineName,
                prefix: key.shownPrefix,
                sha256: key.digest.bytes,
                device: caller.principal?.device
            )
        }
        await audit.record(.createKey, on: "key:\(record.id)", .granted, caller)
        // If this fails, the next refresh adds the key. The key must still be returned: its text is stored nowhere.
        try? await refresh()
        return (record, key.text)
    }

    package func keys() async throws(APIError) -> [KeyRecord] {
        try await database.use { store throws(PersistenceError) in try await store.keys() }
    }

    /// Revokes by key id, or by machine name (then all keys of the machine). Returns an empty array if no key
    /// matches.
    package func revokeKeys(_ idOrName: String, _ caller: Caller) async throws(APIError) -> [KeyRecord] {
        let revoked = try await database.use { store throws(PersistenceError) in
            try await store.revokeKeys(idOrName)
        }
        for key in revoked { await audit.record(.revokeKey, on: "key:\(key.id)", .granted, caller) }
        try? await refresh()
        return revoked
    }

    /// Grants a key, or all keys of a machine, to ask for approvals by `/mcp` alone, or takes that from it. Returns an
    /// empty array if no key matches.
    package func setApproval(
        _ idOrName: String,
        _ mayApprove: Bool,
        _ caller: Caller
    ) async throws(APIError) -> [KeyRecord] {
        let changed = try await database.use { store throws(PersistenceError) in
            try await store.setApproval(idOrName, mayApprove)
        }
        let action = mayApprove ? AuditAction.grantKey : .withdrawFromKey
        for key in changed { await audit.record(action, on: "key:\(key.id) approve", .granted, caller) }
        try? await refresh()
        return changed
    }

    /// Grants a key, or all keys of a machine, the tools of MCP servers of a name, or takes that from it. Returns an
    /// empty array if no key matches.
    package func setToolServer(
        _ idOrName: String,
        _ server: String,
        _ isGranted: Bool,
        _ caller: Caller
    ) async throws(APIError) -> [KeyRecord] {
        let changed = try await database.use { store throws(PersistenceError) in
            try await store.setToolServer(idOrName, server, isGranted)
        }
        let action = isGranted ? AuditAction.grantKey : .withdrawFromKey
        for key in changed { await audit.record(action, on: "key:\(key.id) tools \(server)", .granted, caller) }
        try? await refresh()
        return changed
    }

    package func refresh() async throws(APIError) {
        try await database.use { store throws(PersistenceError) in try await load(from: store) }
    }

    /// Stores when keys were last accepted.
    package func noteUse() async throws(APIError) {
        let (taken, programs) = (use.take(), apiKeyUse.take())
        try await database.use { store throws(PersistenceError) in
            try await store.touchKeys(taken)
            try await store.touchAPIKeys(programs)
        }
    }

    /// Called at startup, before the database counts as ready.
    package func load(from store: PostgresStore) async throws(PersistenceError) {
        if operatorMachine.id == nil {
            operatorMachine.keep(try await store.makeMachine(named: OperatorMachine.name))
        }
        let load = authenticator.beginLoad()
        let (machines, programs) = (try await store.activeKeys(), try await store.activeAPIKeys())
        authenticator.replaceKeys(
            KeySet(
                machines: machines.compactMap { key in
                    let grant = MachineGrant(keyID: key.keyID, machine: key.machine, machineName: key.machineName)
                    return SHA256Digest(stored: key.sha256).map { ($0, grant) }
                },
                programs: programs.compactMap { key in SHA256Digest(stored: key.sha256).map { ($0, key.grant) } },
                approvers: Set(machines.filter(\.mayApprove).map(\.keyID)),
                toolServers: Dictionary(
                    machines.filter { !$0.toolServers.isEmpty }
                        .map { ($0.keyID, Set($0.toolServers.split(separator: "\n").map(String.init))) }
                ) { first, _ in first }
            ),
            load: load
        )
    }
}

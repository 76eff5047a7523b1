internal import Access
internal import ClientAPI
internal import EventModel
internal import HTTPModel
internal import Persistence

/// Creates and revokes machine keys. Keeps the authenticator's copy of the keys up to date.
struct KeyService: KeyAdministration {
    /// Seconds for which a key that another node revoked may still be accepted here.
    static let refreshSeconds = 2.0

    let database: Database
    let authenticator: Authenticator
    let audit: AccessAudit
    let use = KeyUse()

    func createKey(machineName: String, _ caller: Caller) async throws(APIError) -> (record: KeyRecord, key: String) {
        var random = SystemRandomNumberGenerator()
        let key = MachineKey.generate(using: &random)
        let record = try await database.use { store throws(PersistenceError) in
            try await store.createKey(machineName: machineName, prefix: key.shownPrefix, sha256: key.digest.bytes)
        }
        await audit.record(.createKey, on: "key:\(record.id)", .granted, caller)
        // If this fails, the next refresh adds the key. The key must still be returned: its text is stored nowhere.
        try? await refresh()
        return (record, key.text)
    }

    func keys() async throws(APIError) -> [KeyRecord] {
        try await database.use { store throws(PersistenceError) in try await store.keys() }
    }

    func revokeKeys(_ idOrName: String, _ caller: Caller) async throws(APIError) -> [KeyRecord] {
        let revoked = try await database.use { store throws(PersistenceError) in
            try await store.revokeKeys(idOrName)
        }
        for key in revoked { await audit.record(.revokeKey, on: "key:\(key.id)", .granted, caller) }
        try? await refresh()
        return revoked
    }

    func refresh() async throws(APIError) {
        try await database.use { store throws(PersistenceError) in try await load(from: store) }
    }

    /// Stores when keys were last accepted.
    func noteUse() async throws(APIError) {
        let taken = use.take()
        try await database.use { store throws(PersistenceError) in try await store.touchKeys(taken) }
    }

    /// Called at startup, before the database counts as ready.
    func load(from store: PostgresStore) async throws(PersistenceError) {
        if database.operatorMachine == nil {
            database.keepOperatorMachine(try await store.machine(named: Database.operatorMachineName))
        }
        let load = authenticator.beginLoad()
        let active = try await store.activeKeys()
        authenticator.replaceKeys(
            active.compactMap { key in
                guard let digest = SHA256Digest(stored: key.sha256) else { return nil }
                return (
                    digest,
                    MachineGrant(keyID: key.keyID, machine: key.machine, machineName: key.machineName)
                )
            },
            load: load
        )
    }
}

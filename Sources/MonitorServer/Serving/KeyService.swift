internal import Access
internal import ClientAPI
internal import EventModel
internal import HTTPModel
internal import Persistence

/// Makes and revokes machine keys, and keeps the authenticator's copy of them fresh.
struct KeyService: KeyAdministration {
    /// How long a key revoked on another node may still be taken here.
    static let refreshSeconds = 2.0

    let database: Database
    let authenticator: Authenticator

    func createKey(machineName: String) async throws(APIError) -> (record: KeyRecord, key: String) {
        var random = SystemRandomNumberGenerator()
        let key = MachineKey.generate(using: &random)
        let record = try await read { reader throws(PersistenceError) in
            try await reader.createKey(machineName: machineName, prefix: key.shownPrefix, sha256: key.digest.bytes)
        }
        try await refresh()
        return (record, key.text)
    }

    func keys() async throws(APIError) -> [KeyRecord] {
        try await read { reader throws(PersistenceError) in try await reader.keys() }
    }

    func revokeKeys(_ idOrName: String) async throws(APIError) -> [KeyRecord] {
        let revoked = try await read { reader throws(PersistenceError) in try await reader.revokeKeys(idOrName) }
        try await refresh()
        return revoked
    }

    func refresh() async throws(APIError) {
        try await read { reader throws(PersistenceError) in try await load(from: reader) }
    }

    /// For a start, before the database counts as ready.
    func load(from reader: EventReader) async throws(PersistenceError) {
        if database.operatorMachine == nil {
            database.keepOperatorMachine(try await reader.machine(named: Database.operatorMachineName))
        }
        let active = try await reader.activeKeys()
        authenticator.replaceKeys(
            active.compactMap { key in
                guard let digest = SHA256Digest(stored: key.sha256) else { return nil }
                return (
                    digest,
                    MachineGrant(keyID: key.keyID, machine: key.machine, machineName: key.machineName)
                )
            }
        )
    }

    private func read<Result>(
        _ body: (EventReader) async throws(PersistenceError) -> Result
    ) async throws(APIError) -> Result {
        let reader = try database.reader()
        do throws(PersistenceError) {
            return try await body(reader)
        } catch {
            throw error.apiError
        }
    }
}

internal import API
package import HTTPModel
package import Host
package import Persistence
package import Signing
internal import Synchronization

/// Seals secrets before the database stores them, and opens them again. The keys are in a file of the data directory;
/// the database says which of them seals. May be used from any task.
package final class SecretVault: Sendable {
    /// A rotation on another server may come between a look at the current key and the write.
    private static let attempts = 3

    let file: SecretKeyFile
    let database: any StoreAccess
    private let keys: Mutex<[SecretKey]>

    /// Reads the file; it need not exist yet.
    package init(file: SecretKeyFile, database: any StoreAccess) throws(DataDirectoryError) {
        (self.file, self.database) = (file, database)
        keys = Mutex(try file.read())
    }

    /// Throws 503 `secret_key_missing` if the secret was sealed with a key that this server does not have, and 500
    /// `secret_unreadable` if the bytes were changed.
    package func open(_ sealed: [UInt8], at place: SecretPlace) throws(APIError) -> [UInt8] {
        if let id = SecretSealer.keyID(of: sealed) { try require(id) }
        do throws(SigningError) {
            return try sealer.open(sealed, at: place)
        } catch {
            throw APIError(
                .internalError,
                status: 500,
                code: "secret_unreadable",
                message: "A stored secret cannot be opened: it is not as this server has sealed it."
            )
        }
    }

    /// Seals the secrets, and writes them in one transaction. No rotation passes by the rows that `write` writes.
    ///
    /// - Parameter write: gets the sealed secrets in their order. May run more than once.
    package func store<Value: Sendable>(
        _ secrets: [(place: SecretPlace, secret: [UInt8])],
        _ write: @escaping @Sendable (PQConnection, [RawBytes]) throws(PersistenceError) -> Value
    ) async throws(APIError) -> Value {
        for _ in 0..<SecretVault.attempts {
            let id = try await currentKey()
            let sealed = try seal(secrets, key: id)
            let value = try await database.use { store throws(PersistenceError) in
                try await store.writing(underKey: id) { connection throws(PersistenceError) in
                    try write(connection, sealed)
                }
            }
            if let value { return value }
        }
        let text = "The key of stored secrets is being changed. Try again."
        throw .unavailable("secret_key_rotates", text, retryAfter: 1)
    }

    private func seal(
        _ secrets: [(place: SecretPlace, secret: [UInt8])],
        key id: String
    ) throws(APIError) -> [RawBytes] {
        do {
            let sealer = sealer
            return try secrets.map { RawBytes(bytes: try sealer.seal($0.secret, key: id, at: $0.place)) }
        } catch {
            throw SecretVault.failed
        }
    }

    /// The key that seals. The first use makes it.
    private func currentKey() async throws(APIError) -> String {
        let known = try await storedKeys()
        if let current = known.first(where: \.isCurrent) {
            try require(current.id)
            return current.id
        }
        let first = try await spareKey(besides: known)
        try await database.use { store throws(PersistenceError) in try await store.addFirstSecretKey(first.id) }
        // Another server may have been first.
        guard let current = try await storedKeys().first(where: \.isCurrent) else { throw SecretVault.failed }
        try require(current.id)
        return current.id
    }

    /// A key of the file that seals nothing yet. Adds one to the file if there is none. Throws if the file lacks a key
    /// that seals: a file without it would make the secrets unreadable for good.
    func spareKey(besides known: [StoredSecretKey]) async throws(APIError) -> SecretKey {
        try change { keys in
            guard known.allSatisfy({ key in keys.contains { $0.id == key.id } }) else { return nil }
            if let spare = keys.last(where: { key in !known.contains { $0.id == key.id } }) { return spare }
            guard let made = try? SecretKey.generate() else { return nil }
            keys.append(made)
            return made
        }
    }

    /// Removes keys from the file.
    func remove(_ ids: [String]) throws(APIError) {
        _ = try change { keys in
            keys.removeAll { ids.contains($0.id) }
            return true
        }
    }

    /// Changes the keys in the file and in memory.
    private func change<Value: Sendable>(
        _ body: (inout [SecretKey]) -> Value?
    ) throws(APIError) -> Value {
        let result = keys.withLock { held -> Value? in
            guard var keys = try? file.read() else { return nil }
            let before = keys
            guard let value = body(&keys), keys == before || (try? file.write(keys)) != nil else { return nil }
            held = keys
            return value
        }
        guard let result else { throw SecretVault.failed }
        return result
    }

    /// Throws 503 unless this server has the key. Reads the file again, because a person may have copied it here.
    private func require(_ id: String) throws(APIError) {
        let isHere = keys.withLock { held in
            if !held.contains(where: { $0.id == id }), let read = try? file.read() {
                held += read.filter { !held.contains($0) }
            }
            return held.contains { $0.id == id }
        }
        guard isHere else { throw SecretVault.missing(id) }
    }

    var sealer: SecretSealer { SecretSealer(keys: keys.withLock { $0 }) }

    var keyIDs: [String] { keys.withLock { $0.map(\.id) } }

    func storedKeys() async throws(APIError) -> [StoredSecretKey] {
        try await database.use { store throws(PersistenceError) in try await store.secretKeys() }
    }

    private static func missing(_ id: String) -> APIError {
        .unavailable(
            "secret_key_missing",
            "This server lacks the key \(id) of stored secrets. Copy secrets.key from a server that has it.",
            retryAfter: 60
        )
    }

    private static let failed = APIError(
        .internalError,
        status: 500,
        code: "secret_key_failed",
        message: "The keys of stored secrets cannot be used: look at secrets.key of the data directory."
    )
}

extension SecretVault {
    /// Throws if the database has secrets that this server cannot open.
    package func requireKeys(of store: PostgresStore) async throws {
        let lacking = try await store.secretKeys().map(\.id).filter { !sealer.hasKey($0) }
        guard lacking.isEmpty else { throw MissingSecretKey(path: file.path, ids: lacking) }
    }
}

/// Why a server must not start: it would fail where it needs a secret.
package struct MissingSecretKey: Error, CustomStringConvertible {
    let path: String
    let ids: [String]

    package var description: String {
        "\(path) lacks the keys \(ids.joined(separator: ", ")), with which the database's secrets are sealed; "
            + "copy secrets.key from a server that has them"
    }
}

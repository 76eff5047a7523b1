import API
import DatabaseSamples
import EventModel
import Foundation
import HTTPModel
import Host
import Persistence
import Signing

@testable import Secrets

/// A database with a table of sealed secrets, and the vault of one server.
final class VaultSample: Sendable {
    static let column = SealedColumn("secret", of: "samples", row: "id")

    let store: TestStore
    let file: SecretKeyFile
    let vault: SecretVault

    init() throws {
        store = try TestStore()
        let connection = try PQConnection(conninfo: store.database.conninfo, applicationName: "tests")
        try connection.execute("CREATE TABLE samples (id text PRIMARY KEY, secret bytea)", as: "samples")
        file = try VaultSample.emptyFile()
        vault = try SecretVault(file: file, database: store)
    }

    static func emptyFile() throws -> SecretKeyFile {
        SecretKeyFile(in: try DataDirectory(path: NSTemporaryDirectory() + "vault-\(UUID().uuidString)"))
    }

    /// Another server of the database.
    func server(keys: [SecretKey]) throws -> (vault: SecretVault, file: SecretKeyFile) {
        let file = try VaultSample.emptyFile()
        if !keys.isEmpty { try file.write(keys) }
        return (try SecretVault(file: file, database: store), file)
    }

    func place(_ id: String) -> SecretPlace { SecretPlace(table: "samples", row: id, column: "secret") }

    func keep(_ id: String, _ secret: String, by vault: SecretVault? = nil) async throws {
        try await (vault ?? self.vault).store([(place(id), Array(secret.utf8))]) {
            connection,
            sealed throws(PersistenceError) in
            _ = try connection.query(VaultSample.write, Parameters(of: id, sealed[0]))
        }
    }

    func sealed(_ id: String) async throws -> [UInt8] {
        let found: [UInt8]? = try await store.store().run { connection throws(PersistenceError) in
            try connection.query(VaultSample.read, Parameters(of: id)).firstValue()
        }
        return found ?? []
    }

    func secret(_ id: String, by vault: SecretVault? = nil) async throws -> String {
        let bytes = try (vault ?? self.vault).open(try await sealed(id), at: place(id))
        return String(decoding: bytes, as: UTF8.self)
    }

    func put(_ id: String, _ bytes: [UInt8]) async throws {
        try await store.store().run { connection throws(PersistenceError) in
            _ = try connection.query(VaultSample.write, Parameters(of: id, RawBytes(bytes: bytes)))
        }
    }

    func rotate(by vault: SecretVault? = nil) async throws -> SecretRotation.Report {
        try await SecretRotation(vault: vault ?? self.vault, columns: [VaultSample.column]).run()
    }

    private static let write = Statement(
        "write_sample",
        [.text, .bytea],
        "INSERT INTO samples VALUES ($1, $2) ON CONFLICT (id) DO UPDATE SET secret = $2"
    )
    private static let read = Statement("read_sample", [.text], "SELECT secret FROM samples WHERE id = $1")
}

/// The code of the error that the body throws.
func code(_ body: () async throws -> Void) async -> String? {
    do {
        try await body()
        return nil
    } catch {
        return (error as? APIError)?.code ?? "\(error)"
    }
}

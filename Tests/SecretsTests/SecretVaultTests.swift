import HTTPModel
import Signing
import Testing

@testable import Secrets

@Suite struct SecretVaultTests {
    private let sample: VaultSample

    init() throws { sample = try VaultSample() }

    @Test func firstUseMakesTheKey() async throws {
        #expect(try sample.file.read() == [])
        try await sample.keep("a", "token")
        #expect(try await sample.secret("a") == "token")
        let keys = try sample.file.read()
        #expect(keys.count == 1)
        #expect(try await sample.vault.storedKeys() == [StoredSecretKey(id: keys[0].id, isCurrent: true)])
    }

    @Test func rowsOfTheDatabaseDoNotShowTheSecret() async throws {
        try await sample.keep("a", "token-that-nobody-sees")
        let text = String(decoding: try await sample.sealed("a"), as: UTF8.self)
        #expect(!text.contains("token-that"))
    }

    @Test func manyFirstUsesMakeOneKey() async throws {
        let sample = sample
        try await withThrowingTaskGroup(of: Void.self) { group in
            for index in 0..<20 { group.addTask { try await sample.keep("row \(index)", "secret \(index)") } }
            try await group.waitForAll()
        }
        #expect(try sample.file.read().count == 1)
        for index in 0..<20 { #expect(try await sample.secret("row \(index)") == "secret \(index)") }
    }

    @Test func serverWithoutTheKeySaysSoUntilTheFileIsCopied() async throws {
        try await sample.keep("a", "token")
        let other = try sample.server(keys: [])
        let sample = sample
        #expect(await code { _ = try await sample.secret("a", by: other.vault) } == "secret_key_missing")
        #expect(await code { try await sample.keep("b", "x", by: other.vault) } == "secret_key_missing")
        await #expect(throws: MissingSecretKey.self) { try await other.vault.requireKeys(of: sample.store.store()) }
        try other.file.write(try sample.file.read())
        #expect(try await sample.secret("a", by: other.vault) == "token")
        try await other.vault.requireKeys(of: sample.store.store())
    }

    @Test func serverWithAnotherKeyMustNotStart() async throws {
        try await sample.keep("a", "token")
        let other = try sample.server(keys: [.generate()])
        let store = try sample.store.store()
        let error = await #expect(throws: MissingSecretKey.self) { try await other.vault.requireKeys(of: store) }
        let key = try sample.file.read()[0]
        #expect(error?.description.contains(key.id) == true)
        #expect(error?.description.contains(key.text) == false)
    }

    @Test func secretOfAnotherRowDoesNotOpen() async throws {
        try await sample.keep("a", "token")
        try await sample.put("b", try await sample.sealed("a"))
        let sample = sample
        #expect(await code { _ = try await sample.secret("b") } == "secret_unreadable")
    }
}

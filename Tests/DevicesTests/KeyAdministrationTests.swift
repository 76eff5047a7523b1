import DatabaseSamples
import EventModel
import Foundation
import Testing

@testable import Devices
@testable import Persistence

@Suite struct KeyAdministrationTests {
    private func makeReader() throws -> (TestDatabase, PostgresStore) {
        let database = try TestDatabase()
        let store = PostgresStore(configuration: database.configuration, logger: quiet)
        try store.start()
        return (database, store)
    }

    private func digest(_ byte: UInt8) -> [UInt8] { [UInt8](repeating: byte, count: 32) }

    @Test func firstKeyMakesTheMachineAndTheSecondKeepsIt() async throws {
        let (_, store) = try makeReader()
        let first = try await store.createKey(machineName: "studio", prefix: "cmk_a", sha256: digest(1))
        let second = try await store.createKey(machineName: "studio", prefix: "cmk_b", sha256: digest(2))
        #expect(first.machine == second.machine)
        #expect(first.id != second.id)
        #expect(first.machineName == "studio")
        #expect(first.prefix == "cmk_a")
        #expect(first.lastUsedAt == nil)
        #expect(try await store.keys() == [first, second])
        store.stop()
    }

    @Test func activeKeysLeaveRevokedOnesOut() async throws {
        let (_, store) = try makeReader()
        let first = try await store.createKey(machineName: "studio", prefix: "cmk_a", sha256: digest(1))
        let second = try await store.createKey(machineName: "laptop", prefix: "cmk_b", sha256: digest(2))
        let revoked = try await store.revokeKeys(String(first.id))
        #expect(revoked.map(\.id) == [first.id])
        #expect(revoked[0].revokedAt != nil)
        #expect(
            try await store.activeKeys() == [
                ActiveKey(
                    keyID: second.id,
                    machine: second.machine,
                    machineName: "laptop",
                    sha256: digest(2),
                    mayApprove: false,
                    toolServers: ""
                )
            ]
        )
        #expect(try await store.revokeKeys(String(first.id)) == [])
        store.stop()
    }

    @Test func revokingByNameTakesEveryKeyOfTheMachine() async throws {
        let (_, store) = try makeReader()
        for byte: UInt8 in 1...3 {
            _ = try await store.createKey(machineName: "studio", prefix: "cmk", sha256: digest(byte))
        }
        _ = try await store.createKey(machineName: "laptop", prefix: "cmk", sha256: digest(9))
        #expect(try await store.revokeKeys("studio").count == 3)
        #expect(try await store.activeKeys().map(\.machineName) == ["laptop"])
        #expect(try await store.revokeKeys("nobody") == [])
        store.stop()
    }

    @Test func touchNeverGoesBack() async throws {
        let (_, store) = try makeReader()
        let key = try await store.createKey(machineName: "studio", prefix: "cmk", sha256: digest(1))
        let later = Timestamp(microseconds: 1_800_000_000_000_000)
        try await store.touchKeys([key.id: later])
        try await store.touchKeys([key.id: later.adding(seconds: -60), 999: later])
        #expect(try await store.keys().map(\.lastUsedAt) == [later])
        store.stop()
    }

    @Test func digestOfAnotherLengthIsADataError() async throws {
        let (_, store) = try makeReader()
        let error = await #expect(throws: PersistenceError.self) {
            _ = try await store.createKey(machineName: "studio", prefix: "cmk", sha256: [1, 2, 3])
        }
        #expect(error?.isDataError == true)
        #expect(try await store.machines() == [])
        store.stop()
    }
}

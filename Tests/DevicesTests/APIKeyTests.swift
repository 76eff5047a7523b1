import DatabaseSamples
import EventModel
import Foundation
import HTTPModel
import Testing

@testable import Devices
@testable import Persistence

@Suite struct NewAPIKeyTests {
    private let now = Timestamp(microseconds: 1_800_000_000_000_000)

    private func read(_ json: String) throws -> NewAPIKey { try NewAPIKey(Array(json.utf8), now: now) }

    @Test func everyLimit() throws {
        let key = try read(
            #"{"name":"editor","capabilities":["chat","read"],"machines":["mac"],"models":["opus","haiku"],"#
                + #""daily_budget":2.5,"requests_per_minute":30,"expires_at":"2030-01-01"}"#
        )
        #expect(key.capabilities == [.read, .chat])
        #expect(key.machines == ["mac"] && key.models == ["opus", "haiku"])
        #expect(key.dailyBudget == 2.5 && key.requestsPerMinute == 30)
        #expect(key.expiresAt == Timestamp(rfc3339: "2030-01-01T00:00:00Z"))
    }

    @Test(arguments: [
        (#""capabilities":[]"#, "capabilities"), (#""capabilities":["respond"]"#, "capabilities"),
        (#""capabilities":["administer"]"#, "capabilities"), (#""capabilities":["post"]"#, "capabilities"),
        (#""capabilities":["read"],"machines":["mac"]"#, "machines"),
        (#""capabilities":["control"],"daily_budget":1"#, "daily_budget"),
        (#""capabilities":["control"],"models":["opus"]"#, "models"),
        (#""capabilities":["chat"],"daily_budget":0"#, "daily_budget"),
        (#""capabilities":["chat"],"daily_budget":"5""#, "daily_budget"),
        (#""capabilities":["chat"],"models":["a b"]"#, "models"),
        (#""capabilities":["chat"],"requests_per_minute":0"#, "requests_per_minute"),
        (#""capabilities":["chat"],"requests_per_minute":1.5"#, "requests_per_minute"),
        (#""capabilities":["chat"],"expires_at":"2020-01-01""#, "expires_at"),
        (#""capabilities":["chat"],"expires_at":"soon""#, "expires_at"),
    ])
    func refused(members: String, param: String) {
        let error = #expect(throws: APIError.self) { try read(#"{"name":"editor",\#(members)}"#) }
        #expect(error?.status == 400 && error?.param == param)
    }

    @Test(arguments: ["", "7", "a\\u0007b"])
    func refusedName(_ name: String) {
        let error = #expect(throws: APIError.self) { try read(#"{"name":"\#(name)","capabilities":["chat"]}"#) }
        #expect(error?.param == "name")
    }
}

@Suite struct APIKeyStoreTests {
    private let wish: NewAPIKey

    init() throws {
        let json = #"{"name":"editor","capabilities":["chat"],"models":["a","b"],"daily_budget":0.5}"#
        wish = try NewAPIKey(Array(json.utf8), now: Timestamp(microseconds: 0))
    }

    private func digest(_ byte: UInt8) -> [UInt8] { [UInt8](repeating: byte, count: 32) }

    @Test func nameIsFreeAgainAfterItsKeyIsRevoked() async throws {
        let database = try TestDatabase()
        let store = PostgresStore(configuration: database.configuration, logger: quiet)
        try store.start()
        let grants = Grants([.chat], on: .only([MachineID(rawValue: 3)]))
        let first = try await store.createAPIKey(wish, grants, prefix: "cma_a", sha256: digest(1), by: "admin")
        #expect(first?.grant.grants == grants)
        #expect(first?.grant.models == ["a", "b"] && first?.grant.dailyBudget == 0.5)
        #expect(try await store.createAPIKey(wish, grants, prefix: "cma_b", sha256: digest(2), by: "admin") == nil)
        // A repeat after a lost answer.
        let again = try await store.createAPIKey(wish, grants, prefix: "cma_a", sha256: digest(1), by: "admin")
        #expect(again == first)
        #expect(try await store.activeAPIKeys().map(\.grant) == [first?.grant])
        #expect(try await store.revokeAPIKey("editor")?.revokedAt != nil)
        #expect(try await store.revokeAPIKey("editor") == nil)
        #expect(try await store.activeAPIKeys().isEmpty)
        #expect(try await store.createAPIKey(wish, grants, prefix: "cma_b", sha256: digest(2), by: "admin") != nil)
        store.stop()
    }
}

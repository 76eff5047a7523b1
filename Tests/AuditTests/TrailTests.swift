import DatabaseSamples
import EventModel
import JSON
import Signing
import Testing

@testable import Audit
@testable import Persistence

@Suite struct TrailTests {
    private let database: TestDatabase
    private let store: PostgresStore
    private let now = Timestamp(microseconds: 1_800_000_000_000_000)

    init() throws {
        database = try TestDatabase()
        store = PostgresStore(configuration: database.configuration, logger: quiet)
        try store.start()
    }

    private func entry(_ key: String) -> TrailEntry {
        TrailEntry(key, now, "s1") { $0.field("action", key) }
    }

    @Test func eachLinkCoversTheOneBefore() async throws {
        try await store.record([entry("a"), entry("b")])
        try await store.record([entry("c")])
        var link = [UInt8](repeating: 0, count: 32)
        let records = try await store.trail(after: 0, limit: 10)
        #expect(records.compactMap { try? JSONValue.parse($0.entry ?? [])["action"]?.string } == ["a", "b", "c"])
        for record in records {
            #expect(record.digest == Digest.sha256(record.entry ?? []))
            link = Digest.sha256(link + record.digest)
            #expect(record.link == link)
        }
        store.stop()
    }

    @Test func aRepeatedKeyAddsNothing() async throws {
        try await store.record([entry("a")])
        try await store.record([entry("a"), entry("b")])
        let records = try await store.trail(after: 0, limit: 10)
        #expect(records.count == 2)
        #expect(try await store.trail(after: records[0].id, limit: 10).map(\.link) == [records[1].link])
        store.stop()
    }
}

import DatabaseSamples
import EventModel
import Persistence
import Testing

@testable import Outbox

/// A table of deliveries that is not that of the pushes.
@Suite struct OutboxTableTests {
    private static let table = OutboxTable("calls")
    private static let claim = Statement(
        "claim_calls",
        OutboxTable.claimParameters,
        "WITH \(table.claim) SELECT id FROM mine ORDER BY id"
    )

    private let now = systemNow()

    private func makeDatabase(rows: Int) throws -> TestDatabase {
        let database = try TestDatabase(migrated: false)
        try database.execute(
            """
            CREATE TABLE calls (id bigint PRIMARY KEY, state text NOT NULL DEFAULT 'waiting',
                due_at timestamptz NOT NULL, created_at timestamptz NOT NULL DEFAULT now(),
                attempts integer NOT NULL DEFAULT 0, claimed_by text, lease_until timestamptz);
            INSERT INTO calls (id, due_at)
                SELECT n, now() - (100 - n) * interval '1 s' FROM generate_series(1, \(rows)) n
            """
        )
        return database
    }

    private func claim(_ database: TestDatabase, by server: String, limit: Int64 = 64) throws -> [Int64] {
        let parameters = Parameters(of: now.adding(seconds: 1), limit, server, 45.0)
        return try database.connect().query(OutboxTableTests.claim, parameters).values()
    }

    @Test func aDeliveryIsClaimedOnceAndTheOldestFirst() throws {
        let database = try makeDatabase(rows: 5)
        #expect(try claim(database, by: "a", limit: 2) == [1, 2])
        #expect(try claim(database, by: "b") == [3, 4, 5])
        #expect(try claim(database, by: "a") == [])
    }

    @Test func aClaimWhoseLeaseHasEndedIsTakenByAnother() throws {
        let database = try makeDatabase(rows: 2)
        #expect(try claim(database, by: "a") == [1, 2])
        try database.execute("UPDATE calls SET lease_until = now() - interval '1 s' WHERE id = 2")
        #expect(try claim(database, by: "b") == [2])
        #expect(try database.texts("SELECT claimed_by FROM calls ORDER BY id") == ["a", "b"])
        #expect(try database.integers("SELECT attempts::bigint FROM calls ORDER BY id") == [1, 2])
    }

    @Test func aPredecessorsClaimsAreReleasedAndOthersAreNot() throws {
        let database = try makeDatabase(rows: 3)
        for server in ["host/1", "host/2", "other/1"] { _ = try claim(database, by: server, limit: 1) }
        let released = try database.connect().query(OutboxTableTests.table.release, Parameters(of: "host/", "host/2"))
        #expect(released.affectedRows == 1)
        #expect(try claim(database, by: "host/2") == [1])
    }

    @Test func theNextDeliveryIsDueWhenItSaysOrWhenALeaseEnds() throws {
        let database = try makeDatabase(rows: 1)
        func due() throws -> Timestamp? {
            try database.connect().query(OutboxTableTests.table.nextDue, Parameters(of: now)).firstValue()
        }
        #expect(try #require(try due()) <= now)
        _ = try claim(database, by: "a")
        let leaseEnds = try #require(try due()).seconds(since: now)
        #expect(leaseEnds > 30 && leaseEnds <= 45)
        try database.execute("DELETE FROM calls")
        #expect(try due() == nil)
    }
}

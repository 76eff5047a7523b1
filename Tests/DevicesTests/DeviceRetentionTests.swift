import DatabaseSamples
import EventModel
import Testing

@testable import Devices
@testable import Persistence

@Suite struct DeviceRetentionTests {
    private func run(auditDays: Int = 365, on database: TestDatabase) throws {
        var configuration = database.configuration
        configuration.retentionDays = 7
        let steps = DeviceRetention.steps(auditDays: auditDays)
        _ = try LogMaintenance(configuration: configuration, steps: steps, logger: quiet).run(now: systemNow())
    }

    @Test func auditRowsGoByTheirAge() throws {
        let database = try TestDatabase()
        for age in [45, 35, 1] {
            try database.execute(
                "INSERT INTO access_audit (at, actor, action, result, peer, request_id) "
                    + "VALUES (now() - interval '\(age) days', '\(age)', 'a', 'granted', '', '')"
            )
        }
        try run(auditDays: 40, on: database)
        #expect(try database.texts("SELECT actor FROM access_audit ORDER BY id") == ["35", "1"])
    }

    @Test func pairingsThatNobodyUsedGoAfterADay() throws {
        let database = try TestDatabase()
        for (number, age) in [(1, 25), (2, 25), (3, 25), (4, 23)] {
            try database.execute(
                """
                INSERT INTO pairings (code_sha256, token_sha256, created_at, expires_at)
                VALUES (sha256('\(number)'), sha256('\(number)t'), now() - interval '30 hours',
                    now() - interval '\(age) hours')
                """
            )
        }
        try database.execute(
            """
            INSERT INTO devices (pairing_id, name, created_at, last_seen_at) VALUES (2, 'phone', now(), now());
            INSERT INTO apple_identities (subject, pairing_id, bound_at, last_seen_at) VALUES ('s', 3, now(), now())
            """
        )
        try run(on: database)
        #expect(try database.integers("SELECT id FROM pairings ORDER BY id") == [2, 3, 4])
    }
}

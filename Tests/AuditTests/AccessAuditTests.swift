import DatabaseSamples
import EventModel
import Testing

@testable import Audit
@testable import Persistence

@Suite struct AccessAuditTests {
    private let database: TestDatabase
    private let store: PostgresStore
    private let now = Timestamp(microseconds: 1_800_000_000_000_000)

    init() throws {
        database = try TestDatabase()
        store = PostgresStore(configuration: database.configuration, logger: quiet)
        try store.start()
    }

    @Test func theAuditLogIsAppendOnly() async throws {
        try await store.audit(
            AuditEntry(
                at: systemNow(),
                actor: "admin",
                action: "device.revoke",
                object: nil,
                result: "granted",
                peer: "192.0.2.1",
                requestID: "r1"
            )
        )
        let connection = try PQConnection(
            conninfo: database.configuration.conninfo,
            applicationName: "test",
            replyTimeoutMilliseconds: 10_000
        )
        for change in ["UPDATE access_audit SET actor = 'nobody'", "DELETE FROM access_audit", "TRUNCATE access_audit"]
        {
            #expect(throws: PersistenceError.self) { try connection.execute(change, as: "change the audit log") }
        }
        let count = Statement("count_audit", "SELECT count(*) FROM access_audit WHERE actor = 'admin'")
        #expect(try connection.query(count).firstValue() == Int64(1))
        store.stop()
    }

    /// Numbers of the rows that the query of docs/devices.md finds.
    private func broken() throws -> [Int64] {
        try database.integers(
            """
            SELECT id FROM (SELECT *, lag(link) OVER (ORDER BY id) AS previous FROM access_audit) a
            WHERE digest <> access_audit_digest(at, actor, action, object, result, peer, request_id, attempts)
                OR link <> sha256(previous || digest)
            """
        )
    }

    @Test func aChangedRowBreaksTheChain() async throws {
        // A row from before the chain.
        try database.execute(
            """
            INSERT INTO access_audit (at, actor, action, result, peer, request_id)
            VALUES (now(), 'admin', 'key.create', 'granted', '', '')
            """
        )
        for number in 1...3 {
            try await store.audit(
                AuditEntry(
                    at: now.adding(seconds: 0.000001 * Double(number)),
                    actor: "device:1",
                    action: "token.refresh",
                    object: number == 2 ? nil : "\"device\":1",
                    result: "granted",
                    peer: "192.0.2.1",
                    requestID: "r\(number)"
                )
            )
        }
        #expect(try broken() == [])
        #expect(
            try database.texts(
                """
                SELECT (link = sha256(decode(repeat('00', 32), 'hex') || digest))::text FROM access_audit
                WHERE link IS NOT NULL ORDER BY id LIMIT 1
                """
            ) == ["true"]
        )
        try database.execute("ALTER TABLE access_audit DISABLE TRIGGER USER")
        try database.execute("UPDATE access_audit SET actor = 'admin' WHERE request_id = 'r2'")
        #expect(try broken().count == 1)
        try database.execute("DELETE FROM access_audit WHERE request_id = 'r2'")
        #expect(try broken().count == 1)
        store.stop()
    }

    @Test func theAuditLogIsReadFromItsEndAndByWhoWhatAndHow() async throws {
        for (actor, action, result) in [
            ("admin", "pairing.create", "granted"), ("device:1", "token.refresh", "granted"),
            ("device:1", "token.refresh", "reuse"), ("admin", "device.revoke", "granted"),
        ] {
            try await store.audit(
                AuditEntry(
                    at: now,
                    actor: actor,
                    action: action,
                    object: actor == "admin" ? nil : actor,
                    result: result,
                    peer: "192.0.2.1",
                    requestID: "r1"
                )
            )
        }
        var query = AuditQuery(limit: 3)
        let newest = try await store.auditLog(query)
        #expect(newest.map(\.entry.action) == ["device.revoke", "token.refresh", "token.refresh"])
        #expect(newest.map(\.entry.object) == [nil, "device:1", "device:1"])
        query.before = newest.last?.id
        #expect(try await store.auditLog(query).map(\.entry.action) == ["pairing.create"])
        query = AuditQuery(limit: 10)
        query.actor = "device:1"
        #expect(try await store.auditLog(query).count == 2)
        query.result = "reuse"
        query.action = "token.refresh"
        #expect(try await store.auditLog(query).count == 1)
        query.action = "device.revoke"
        #expect(try await store.auditLog(query).isEmpty)
        store.stop()
    }
}

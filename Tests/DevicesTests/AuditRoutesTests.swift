import API
import APISamples
import Audit
import DatabaseSamples
import EventModel
import JSON
import Testing

@testable import Devices

@Suite("/v1/audit")
struct AuditRoutesTests {
    private static let now = Timestamp(microseconds: 1_767_607_200_000_000)

    private let store: TestStore

    init() throws {
        store = try TestStore()
    }

    private var routes: [Route] { AuditRoutes(database: store, clock: { AuditRoutesTests.now }).routes }

    private func write(
        _ count: Int = 1,
        actor: String = "admin",
        action: String = "device.revoke",
        result: String = "granted"
    ) async throws {
        for _ in 0..<count {
            let entry = AuditEntry(
                at: AuditRoutesTests.now,
                actor: actor,
                action: action,
                object: "device:4",
                result: result,
                peer: "127.0.0.1",
                requestID: "r"
            )
            try await store.store().audit(entry)
        }
    }

    private func ids(_ page: JSONValue) -> [String]? { page["data"]?.array?.compactMap { $0["id"]?.string } }

    @Test("pages follow each other without a hole")
    func pages() async throws {
        try await write(3)
        let first = try await routes.get("/v1/audit", "limit=2").body
        #expect(ids(first) == ["3", "2"])
        #expect(first["next_cursor"] == .string("2"))
        let second = try await routes.get("/v1/audit", "limit=2&cursor=2").body
        #expect(ids(second) == ["1"])
        #expect(second["next_cursor"] == .null)
        #expect(second["has_more"] == .bool(false))
    }

    @Test("a page without a limit has 50 entries")
    func usualLimit() async throws {
        try await write(51)
        let page = try await routes.get("/v1/audit").body
        #expect(ids(page)?.count == 50)
        #expect(page["next_cursor"] == .string("2"))
    }

    @Test("each filter counts")
    func filters() async throws {
        try await write(actor: "device:4", action: "token.refresh", result: "reuse")
        try await write(actor: "device:5", action: "token.refresh", result: "reuse")
        try await write(actor: "device:4", action: "token.revoke", result: "reuse")
        try await write(actor: "device:4", action: "token.refresh", result: "granted")
        for (query, found) in [
            ("actor=device:4&action=token.refresh&result=reuse", ["1"]), ("actor=device:4", ["4", "3", "1"]),
            ("action=token.refresh", ["4", "2", "1"]), ("result=reuse", ["3", "2", "1"]),
        ] {
            #expect(ids(try await routes.get("/v1/audit", query).body) == found, "\(query)")
        }
    }

    @Test("what is no cursor is refused", arguments: ["cursor=x", "cursor=-1", "cursor=0", "limit=0", "limit=201"])
    func refused(query: String) async throws {
        #expect(try await routes.get("/v1/audit", query).status == 400)
    }

    @Test("only an operator may ask")
    func access() {
        #expect(routes.allSatisfy { $0.access == .administer })
    }
}

import Audit
import EventModel
import HTTPModel
import JSON
import Testing

@testable import ClientAPI

@Suite("/v1/audit")
struct AuditRoutesTests {
    private func record(_ id: Int64) -> AuditRecord {
        AuditRecord(
            id: id,
            entry: AuditEntry(
                at: Sample.time,
                actor: "admin",
                action: "device.revoke",
                object: "device:4",
                result: "granted",
                peer: "127.0.0.1",
                requestID: "r"
            )
        )
    }

    private func ask(_ store: FakeStore, _ query: String = "") async throws(APIError) -> JSONValue? {
        let route = AuditRoutes(store: store, clock: { Sample.time }).routes[0]
        var request = HTTPRequest(method: .get, path: "/v1/audit")
        request.query = query
        let response = try await route.handler(RouteRequest(http: request, parameters: [:]))
        return try? JSONValue.parse(response.body)
    }

    @Test("pages follow each other without a hole")
    func pages() async throws {
        let store = FakeStore(audit: [5, 4, 3].map { record($0) })
        let first = try await ask(store, "limit=2")
        #expect(first?["data"]?.array?.compactMap { $0["id"]?.string } == ["5", "4"])
        #expect(first?["next_cursor"] == .string("4"))
        let second = try await ask(store, "limit=2&cursor=4")
        #expect(second?["data"]?.array?.compactMap { $0["id"]?.string } == ["3"])
        #expect(second?["next_cursor"] == .null)
        #expect(second?["has_more"] == .bool(false))
    }

    @Test("filters are passed on")
    func filters() async throws {
        let store = FakeStore()
        _ = try await ask(store, "actor=device:4&action=token.refresh&result=reuse")
        let query = await store.lastAuditQuery
        #expect(query?.actor == "device:4" && query?.action == "token.refresh" && query?.result == "reuse")
        #expect(query?.limit == 51)
    }

    @Test("what is no cursor is refused", arguments: ["cursor=x", "cursor=-1", "cursor=0", "limit=0", "limit=201"])
    func refused(query: String) async {
        await #expect(throws: APIError.self) { try await ask(FakeStore(), query) }
    }

    @Test("only an operator may ask")
    func access() {
        #expect(AuditRoutes(store: FakeStore(), clock: { Sample.time }).routes.allSatisfy { $0.access == .administer })
    }
}

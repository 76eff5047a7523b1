import ClientAPI
import EventModel
import HTTPModel
import JSON
import Sessions
import Testing

@Suite("Listings")
struct ListingTests {
    private func get(_ path: String, query: String = "", store: FakeStore) async throws -> (Int, JSONValue) {
        try await ask(.get, path, query: query, store: store)
    }

    @Test("events come in the contract's shape, with a cursor that goes on")
    func events() async throws {
        let store = FakeStore(events: (1...5).map(Sample.event))
        let (status, first) = try await get("/v1/events", query: "limit=2", store: store)
        #expect(status == 200)
        #expect(first["events"]?.array?.compactMap { $0["seq"]?.integer } == [1, 2])
        #expect(first["events"]?.array?.first?["hook_event_name"] == .string("PostToolUse"))
        #expect(first["events"]?.array?.first?["payload"]?["tool_name"] == .string("Bash"))
        let cursor = try #require(first["next_cursor"]?.string)
        let (_, second) = try await get("/v1/events", query: "limit=4&cursor=\(cursor)", store: store)
        #expect(second["events"]?.array?.compactMap { $0["seq"]?.integer } == [3, 4, 5])
        #expect(second["next_cursor"] == .null)
    }

    @Test("a cursor of another epoch is told apart from a broken one")
    func cursors() async throws {
        let store = FakeStore()
        #expect(try await get("/v1/events", query: "cursor=other:3", store: store).0 == 409)
        let (status, error) = try await get("/v1/events", query: "cursor=nonsense", store: store)
        #expect(status == 400)
        #expect(error["param"] == .string("cursor"))
    }

    @Test(
        "parameters out of bounds are named",
        arguments: [
            ("/v1/events", "limit=0", "limit"), ("/v1/events", "limit=ten", "limit"),
            ("/v1/events", "order=up", "order"), ("/v1/sessions", "status=busy", "status"),
            ("/v1/sessions", "page=0", "page"), ("/v1/sessions", "limit=201", "limit"),
            ("/v1/sessions", "page=1&cursor=x", "cursor"), ("/v1/sessions", "cursor=x", "cursor"),
        ]
    )
    func bounds(path: String, query: String, param: String) async throws {
        let (status, error) = try await get(path, query: query, store: FakeStore())
        #expect(status == 400)
        #expect(error["param"] == .string(param))
    }

    @Test("a page that found nothing in what it looked at goes on behind that")
    func emptyPages() async throws {
        let store = FakeStore()
        await store.endPages(at: 70)
        let (status, page) = try await get("/v1/events", query: "types=stop", store: store)
        #expect(status == 200)
        #expect(page["events"]?.array?.isEmpty == true)
        #expect(page["next_cursor"] == .string("e1:70"))
        #expect(page["meta"]?["has_more"] == .bool(true))
    }

    @Test("sessions page by number with meta and links, or by cursor")
    func sessions() async throws {
        let store = FakeStore(sessions: ["a", "b", "c"].map(Sample.session))
        let (_, numbered) = try await get("/v1/sessions", query: "page=1&per_page=2", store: store)
        #expect(numbered["sessions"]?.array?.count == 2)
        #expect(numbered["data"] == numbered["sessions"])
        #expect(numbered["meta"]?["total_pages"] == .integer(2))
        #expect(numbered["links"]?["next"] == .string("/v1/sessions?page=2&per_page=2"))
        let filtered = try await get("/v1/sessions", query: "page=1&per_page=2&machine=mac+mini", store: store).1
        #expect(filtered["links"]?["last"] == .string("/v1/sessions?page=2&per_page=2&machine=mac%20mini"))
        let (_, first) = try await get("/v1/sessions", query: "limit=2", store: store)
        let cursor = try #require(first["next_cursor"]?.string)
        #expect(first["pagination"]?["has_next"] == .bool(true))
        #expect(first["pagination"]?["total_items"] == .null)
        #expect(first["meta"]?["request_id"]?.string != nil)
        #expect(first["meta"]?["timestamp"] == .string(Sample.time.description))
        let next = first["links"]?["next"]?.string?.replacing("%7E", with: "~")
        #expect(next == "/v1/sessions?cursor=\(cursor)&limit=2")
        for name in ["last", "prev"] { #expect(first["links"]?[name] == .null) }
        _ = try await get("/v1/sessions", query: "limit=2&cursor=\(cursor)", store: store)
        #expect(await store.lastSessionQuery?.cursor == .init(lastActivityAt: Sample.time, id: "b"))
    }

    @Test("events page by number, and are counted then")
    func numberedEvents() async throws {
        let store = FakeStore(events: (1...5).map(Sample.event))
        let (_, second) = try await get("/v1/events", query: "page=2&per_page=2", store: store)
        #expect(second["data"]?.array?.compactMap { $0["seq"]?.integer } == [3, 4])
        #expect(second["data"] == second["events"])
        #expect(second["pagination"]?["total_items"] == .integer(5))
        #expect(second["links"]?["next"] == .string("/v1/events?page=3&per_page=2"))
        #expect(second["links"]?["prev"] == .string("/v1/events?page=1&per_page=2"))
        await store.endPages(at: 4)
        let (_, cut) = try await get("/v1/events", query: "page=2&per_page=4", store: store)
        #expect(cut["links"]?["next"] == .string("/v1/events?cursor=e1%3A4&limit=4"))
    }

    @Test("a list without a cursor is whole, or a page of it")
    func whole() async throws {
        let all = try await get("/v1/models", store: FakeStore()).1
        let count = try #require(all["data"]?.array?.count)
        #expect(all["meta"]?["total"] == .null && all["has_more"] == .bool(false))
        #expect(all["links"]?["first"] == .string("/v1/models"))
        let page = try await get("/v1/models", query: "page=2&per_page=5", store: FakeStore()).1
        #expect(page["data"]?.array?.first == all["data"]?.array?[5])
        #expect(page["pagination"]?["total_items"]?.integer == Int64(count))
        #expect(page["next_cursor"] == .null && page["pagination"]?["has_next"] == .bool(true))
        #expect(try await get("/v1/machines", query: "per_page=0", store: FakeStore()).0 == 400)
    }

    @Test("one session, its events, and none")
    func session() async throws {
        let store = FakeStore(events: [Sample.event(1)], sessions: [Sample.session("s1")])
        let (_, session) = try await get("/v1/sessions/s1", store: store)
        #expect(session["id"] == .string("s1"))
        #expect(session["tool_call_count"] == .integer(1))
        #expect(session["token_usage"]?["input_tokens"] == .integer(0))
        _ = try await get("/v1/sessions/s1/events", store: store)
        #expect(await store.lastEventQuery?.sessionID == "s1")
        #expect(try await get("/v1/sessions/none", store: store).0 == 404)
        #expect(try await get("/v1/sessions/none/events", store: store).0 == 404)
    }
}

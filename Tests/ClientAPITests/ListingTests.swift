import APISamples
import DatabaseSamples
import EventModel
import JSON
import Testing

@Suite("Listings")
struct ListingTests {
    @Test("events come in the contract's shape, with a cursor that goes on")
    func events() async throws {
        let routes = try await Sample.store((1...5).map { Sample.event($0) }).routes
        let (status, first) = try await routes.get("/v1/events", "limit=2")
        #expect(status == 200)
        #expect(first["events"]?.array?.compactMap { $0["seq"]?.integer } == [1, 2])
        #expect(first["events"]?.array?.first?["hook_event_name"] == .string("PostToolUse"))
        #expect(first["events"]?.array?.first?["payload"]?["tool_name"] == .string("Bash"))
        let cursor = try #require(first["next_cursor"]?.string)
        let second = try await routes.get("/v1/events", "limit=4&cursor=\(cursor)").body
        #expect(second["events"]?.array?.compactMap { $0["seq"]?.integer } == [3, 4, 5])
        #expect(second["next_cursor"] == .null)
    }

    @Test("a cursor of another epoch is told apart from a broken one")
    func cursors() async throws {
        let routes = try await Sample.store().routes
        #expect(try await routes.get("/v1/events", "cursor=other:3").status == 409)
        let (status, error) = try await routes.get("/v1/events", "cursor=nonsense")
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
        let (status, error) = try await Sample.store().routes.get(path, query)
        #expect(status == 400)
        #expect(error["param"] == .string(param))
    }

    @Test("a page that found nothing in what it looked at goes on behind that")
    func emptyPages() async throws {
        let store = try await Sample.store([Sample.event(1)])
        // One query looks at a million places of the log at most.
        try store.database.execute("UPDATE log_head SET last_seq = 1000070")
        try await store.append([Sample.message(2, "Stop", "{}")])
        let epoch = try store.database.texts("SELECT epoch FROM log_head")[0]
        let (status, page) = try await store.routes.get("/v1/events", "types=stop")
        #expect(status == 200)
        #expect(page["events"]?.array?.isEmpty == true)
        #expect(page["next_cursor"] == .string("\(epoch):1000000"))
        #expect(page["meta"]?["has_more"] == .bool(true))
        let next = try await store.routes.get("/v1/events", "types=stop&cursor=\(epoch):1000000").body
        #expect(next["events"]?.array?.compactMap { $0["seq"]?.integer } == [1_000_071])
        #expect(next["next_cursor"] == .null)
    }

    @Test("sessions page by number with meta and links, or by cursor")
    func sessions() async throws {
        let store = try TestStore()
        let mini = try store.database.makeMachine("mac mini")
        let other = try store.database.makeMachine()
        var events = ["a", "b", "c", "d"].enumerated().map { number, name in
            Sample.event(UInt64(number + 1), name, after: -Double(number))
        }
        for index in events.indices { events[index].machine = index < 3 ? mini : other }
        try await store.append(events)
        let numbered = try await store.routes.get("/v1/sessions", "page=1&per_page=2").body
        #expect(numbered["sessions"]?.array?.compactMap { $0["id"]?.string } == ["a", "b"])
        #expect(numbered["data"] == numbered["sessions"])
        #expect(numbered["meta"]?["total"] == .integer(4))
        #expect(numbered["meta"]?["total_pages"] == .integer(2))
        #expect(numbered["links"]?["next"] == .string("/v1/sessions?page=2&per_page=2"))
        let filtered = try await store.routes.get("/v1/sessions", "page=1&per_page=2&machine=mac+mini").body
        #expect(filtered["meta"]?["total"] == .integer(3))
        #expect(filtered["links"]?["last"] == .string("/v1/sessions?page=2&per_page=2&machine=mac%20mini"))
        let first = try await store.routes.get("/v1/sessions", "limit=2").body
        let cursor = try #require(first["next_cursor"]?.string)
        #expect(first["pagination"]?["has_next"] == .bool(true))
        #expect(first["pagination"]?["total_items"] == .integer(4))
        #expect(first["meta"]?["request_id"]?.string != nil)
        #expect(first["meta"]?["timestamp"] == .string(Sample.time.description))
        let next = first["links"]?["next"]?.string?.replacing("%7E", with: "~")
        #expect(next == "/v1/sessions?cursor=\(cursor)&limit=2")
        for name in ["last", "prev"] { #expect(first["links"]?[name] == .null) }
        #expect(cursor == "\(Sample.time.adding(seconds: -1).microseconds)~b")
        let second = try await store.routes.get("/v1/sessions", "limit=2&cursor=\(cursor)").body
        #expect(second["sessions"]?.array?.compactMap { $0["id"]?.string } == ["c", "d"])
    }

    @Test("events page by number, and are counted then")
    func numberedEvents() async throws {
        let store = try await Sample.store((1...5).map { Sample.event($0) })
        let second = try await store.routes.get("/v1/events", "page=2&per_page=2").body
        #expect(second["data"]?.array?.compactMap { $0["seq"]?.integer } == [3, 4])
        #expect(second["data"] == second["events"])
        #expect(second["pagination"]?["total_items"] == .integer(5))
        #expect(second["links"]?["next"] == .string("/v1/events?page=3&per_page=2"))
        #expect(second["links"]?["prev"] == .string("/v1/events?page=1&per_page=2"))
        // Two of these are more than one page holds.
        let large = #"{"text":"\#(String(repeating: "x", count: 3 << 20))"}"#
        try await store.append((6...7).map { Sample.message($0, "Stop", large) })
        let epoch = try store.database.texts("SELECT epoch FROM log_head")[0]
        let cut = try await store.routes.get("/v1/events", "page=2&per_page=4").body
        #expect(cut["data"]?.array?.compactMap { $0["seq"]?.integer } == [5, 6])
        #expect(cut["links"]?["next"] == .string("/v1/events?cursor=\(epoch)%3A6&limit=4"))
    }

    @Test("one session, its events, and none")
    func session() async throws {
        let routes = try await Sample.store([Sample.event(1), Sample.event(2, "s2")]).routes
        let session = try await routes.get("/v1/sessions/s1").body
        #expect(session["id"] == .string("s1"))
        #expect(session["tool_call_count"] == .integer(1))
        #expect(session["token_usage"]?["input_tokens"] == .integer(0))
        let events = try await routes.get("/v1/sessions/s1/events").body
        #expect(events["events"]?.array?.compactMap { $0["session_id"]?.string } == ["s1"])
        #expect(try await routes.get("/v1/sessions/none").status == 404)
        #expect(try await routes.get("/v1/sessions/none/events").status == 404)
    }
}

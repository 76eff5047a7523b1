import ClientAPI
import EventModel
import JSON
import Testing

@Suite("Statistics over days")
struct UsageRoutesTests {
    @Test(
        "the span is of whole days, both named ones included",
        arguments: [
            ("", "2025-12-07", "2026-01-05"), ("from=2026-01-01&to=2026-01-01", "2026-01-01", "2026-01-01"),
            ("from=2026-01-01T23:30:00-02:00", "2026-01-02", "2026-01-05"),
            ("to=2025-03-01", "2025-01-31", "2025-03-01"),
        ]
    )
    func span(query: String, from: String, to: String) async throws {
        let store = FakeStore()
        let (status, answer) = try await ask(.get, "/v1/stats", query: query, store: store)
        #expect(status == 200)
        #expect(answer["from"] == .string(from))
        #expect(answer["to"] == .string(to))
        let asked = try #require(await store.lastUsageQuery)
        #expect(asked.from == Timestamp(rfc3339: from + "T00:00:00Z"))
        #expect(asked.to == Timestamp(rfc3339: to + "T00:00:00Z")?.adding(seconds: 86400))
    }

    @Test(
        "what cannot be asked is named",
        arguments: [
            ("by=hour", "by"), ("from=yesterday", "from"), ("to=2026-02-30", "to"), ("from=2027-01-01", "from"),
            ("from=2024-01-01", "from"),
        ]
    )
    func refused(query: String, param: String) async throws {
        let (status, error) = try await ask(.get, "/v1/stats", query: query)
        #expect(status == 400)
        #expect(error["param"] == .string(param))
    }

    @Test("a row says what its dimension knows")
    func rows() async throws {
        let sessions = UsageRow.Sessions(
            count: 2,
            messages: 3,
            tokens: TokenUsage(input: 4, output: 5, cacheRead: 7),
            cost: 0.5
        )
        let events = UsageRow.Events(total: 9, prompts: 1, toolCalls: 2, toolFailures: 1)
        let day = UsageRow(key: "2026-01-05", events: events, sessions: sessions)
        let row = try await ask(.get, "/v1/stats", store: FakeStore(rows: [day])).1["data"]?.array?.first
        #expect(row?["key"] == .string("2026-01-05"))
        #expect(row?["events"] == .integer(9))
        #expect(row?["tool_failures"] == .integer(1))
        #expect(row?["total_tokens"] == .integer(9))
        let model = UsageRow(key: "", events: nil, sessions: sessions)
        let store = FakeStore(rows: [model])
        let bare = try await ask(.get, "/v1/stats", query: "by=model", store: store).1["data"]?.array?.first
        #expect(bare?["key"] == .null)
        #expect(bare?["events"] == nil)
        #expect(await store.lastUsageQuery?.by == .model)
    }
}

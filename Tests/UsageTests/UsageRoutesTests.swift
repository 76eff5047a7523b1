import API
import APISamples
import DatabaseSamples
import EventModel
import JSON
import Testing
import Usage

@Suite("Statistics over days")
struct UsageRoutesTests {
    private static let now = Timestamp(microseconds: 1_767_607_200_000_000)

    private func routes(_ store: TestStore) -> [Route] {
        let feature = Feature.usage(
            store,
            prices: .standard,
            aliases: .none,
            offered: { _ in [] },
            clock: { UsageRoutesTests.now },
            logger: quiet
        )
        return feature.routes
    }

    private func time(_ text: String) throws -> Timestamp { try #require(Timestamp(rfc3339: text)) }

    @Test(
        "the span is of whole days, both named ones included",
        arguments: [
            ("", "2025-12-07", "2026-01-05"), ("from=2026-01-01&to=2026-01-01", "2026-01-01", "2026-01-01"),
            ("from=2026-01-01T23:30:00-02:00", "2026-01-02", "2026-01-05"),
            ("to=2025-03-01", "2025-01-31", "2025-03-01"),
        ]
    )
    func span(query: String, from: String, to: String) async throws {
        let store = try TestStore()
        let machine = try store.database.makeMachine()
        let start = try time(from + "T00:00:00Z")
        let end = try time(to + "T00:00:00Z").adding(seconds: 86400)
        // The last moment before the span, its first and its last one, and the first moment after it.
        let moments = [start.microseconds - 1, start.microseconds, end.microseconds - 1, end.microseconds]
        try await store.append(
            moments.enumerated().map { index, moment in
                let at = Timestamp(microseconds: moment)
                return makeEvent(id: UInt64(index), machine: machine, session: "s\(index)", at: at)
            }
        )
        let (status, answer) = try await routes(store).get("/v1/stats", query)
        #expect(status == 200)
        #expect(answer["from"] == .string(from))
        #expect(answer["to"] == .string(to))
        let rows = try #require(answer["data"]?.array)
        #expect(rows.compactMap { $0["key"]?.string } == (from == to ? [from] : [from, to]))
        for counted in ["events", "sessions"] {
            #expect(rows.compactMap { $0[counted]?.integer } == (from == to ? [2] : [1, 1]))
        }
    }

    @Test(
        "what cannot be asked is named",
        arguments: [
            ("by=hour", "by"), ("from=yesterday", "from"), ("to=2026-02-30", "to"), ("from=2027-01-01", "from"),
            ("from=2024-01-01", "from"),
        ]
    )
    func refused(query: String, param: String) async throws {
        let (status, error) = try await routes(TestStore()).get("/v1/stats", query)
        #expect(status == 400)
        #expect(error["param"] == .string(param))
    }

    @Test("a row says what its dimension knows")
    func rows() async throws {
        let store = try TestStore()
        let machine = try store.database.makeMachine()
        let others = Array(repeating: "Notification", count: 6)
        let hooks = ["UserPromptSubmit", "PostToolUse", "PostToolUseFailure"] + others
        var events = hooks.enumerated().map { index, hook in
            makeEvent(
                id: UInt64(index),
                machine: machine,
                session: index < 8 ? "s1" : "s2",
                hook: hook,
                at: UsageRoutesTests.now,
                tool: hook.hasPrefix("Post") ? "Bash" : nil
            )
        }
        events[4].facts = SessionFacts(usage: TokenUsage(input: 4, output: 5, cacheRead: 7), costUSD: 0.5)
        try await store.append(events)
        let row = try await routes(store).get("/v1/stats").body["data"]?.array?.first
        #expect(row?["key"] == .string("2026-01-05"))
        #expect(row?["events"] == .integer(9))
        #expect(row?["prompts"] == .integer(1))
        #expect(row?["tool_calls"] == .integer(2))
        #expect(row?["tool_failures"] == .integer(1))
        #expect(row?["sessions"] == .integer(2))
        #expect(row?["total_tokens"] == .integer(9))
        #expect(row?["total_cost"] == .number(0.5))
        let models = try await routes(store).get("/v1/stats", "by=model").body
        #expect(models["by"] == .string("model"))
        let bare = try #require(models["data"]?.array?.first)
        #expect(bare["key"] == .null)
        #expect(bare["events"] == nil)
        #expect(bare["total_tokens"] == .integer(9))
    }
}

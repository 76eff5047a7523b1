import EventModel
import Foundation
import Testing

@testable import Persistence

@Suite struct UsageStoreTests {
    private let day = Timestamp(rfc3339: "2026-03-10T00:00:00Z") ?? systemNow()

    private func makeEvents(_ machine: MachineID) -> [MonitorEvent] {
        let times = [-1.0, 0, 60, 120, 180, 86399, 86400]
        let hooks = ["Stop", "UserPromptSubmit", "PostToolUse", "PostToolUseFailure", "PostToolUse", "Stop", "Stop"]
        let tools = [nil, nil, "Bash", "Bash", "Read", nil, nil]
        var events = zip(times, zip(hooks, tools)).enumerated().map { index, event in
            makeEvent(
                id: UInt64(index + 1),
                machine: machine,
                session: index == 0 ? "before" : index == 6 ? "after" : "s1",
                hook: event.1.0,
                at: day.adding(seconds: event.0),
                tool: event.1.1
            )
        }
        events[2].facts = SessionFacts(model: "opus", usage: TokenUsage(input: 3, output: 4), costUSD: 0.25)
        return events
    }

    private func usage(_ store: PostgresStore, _ by: UsageQuery.Dimension, days: Double = 1) async throws -> [UsageRow]
    {
        try await store.usage(UsageQuery(from: day, to: day.adding(seconds: 86400 * days), by: by))
    }

    /// Whatever part of the log is counted already.
    @Test(arguments: [0, 1, 3, 6, 7, 100])
    func countedAndUncountedEventsAddUp(counted: Int) async throws {
        let database = try TestDatabase()
        let machine = try database.makeMachine()
        let harness = try WriterHarness(database.configuration)
        #expect(await harness.append(makeEvents(machine)).compactMap(\.seq).count == 7)
        harness.writer.stop()
        #expect(try database.integers("SELECT count_events(\(counted))") == [Int64(min(counted, 7))])
        let store = PostgresStore(configuration: database.configuration, logger: quiet)
        try store.start()
        #expect(
            try await usage(store, .day).map(\.events) == [
                UsageRow.Events(total: 5, prompts: 1, toolCalls: 3, toolFailures: 1)
            ]
        )
        #expect(try await usage(store, .tool).map(\.key) == ["Bash", "Read"])
        #expect(try await usage(store, .machine).first?.events?.total == 5)
        #expect(try await usage(store, .project).first?.events?.total == 5)
        store.stop()
    }

    @Test func countingGoesOnWhereItStoppedAndEndsAtTheHead() async throws {
        let database = try TestDatabase()
        let machine = try database.makeMachine()
        let harness = try WriterHarness(database.configuration)
        let counting = EventCounting(configuration: database.configuration, logger: quiet)
        #expect(try !counting.run())
        let events = makeEvents(machine)
        #expect(await harness.append(Array(events.prefix(4))).count == 4)
        #expect(try !counting.run())
        #expect(await harness.append(Array(events.suffix(3))).count == 3)
        #expect(try !counting.run())
        #expect(try !counting.run())
        harness.writer.stop()
        #expect(try database.integers("SELECT through_seq FROM event_counts_head") == [7])
        #expect(try database.integers("SELECT sum(events)::bigint FROM event_counts") == [7])
        #expect(
            try database.integers("SELECT events FROM event_counts WHERE day = '2026-03-10' AND tool_name = 'Bash'")
                == [2]
        )
    }

    @Test func everyDimensionSumsUpTheDaysAsked() async throws {
        let database = try TestDatabase()
        let machine = try database.makeMachine()
        let harness = try WriterHarness(database.configuration)
        let outcomes = await harness.append(makeEvents(machine))
        #expect(outcomes.compactMap(\.seq).count == 7)
        // Sent again, they count once.
        _ = await harness.append(makeEvents(machine))
        harness.writer.stop()
        let store = PostgresStore(configuration: database.configuration, logger: quiet)
        try store.start()

        let events = UsageRow.Events(total: 5, prompts: 1, toolCalls: 3, toolFailures: 1)
        let sessions = UsageRow.Sessions(count: 1, messages: 2, tokens: TokenUsage(input: 3, output: 4), cost: 0.25)
        let workspace = WorkspaceID.make(machine: machine, path: "/home/dev/project")
        #expect(
            try await usage(store, .day) == [UsageRow(key: "2026-03-10", events: events, sessions: sessions)]
        )
        #expect(
            try await usage(store, .machine) == [
                UsageRow(key: String(machine.rawValue), name: "studio", events: events, sessions: sessions)
            ]
        )
        #expect(
            try await usage(store, .project) == [
                UsageRow(key: workspace, name: "project", events: events, sessions: sessions)
            ]
        )
        #expect(try await usage(store, .model) == [UsageRow(key: "opus", events: nil, sessions: sessions)])
        #expect(
            try await usage(store, .tool) == [
                UsageRow(key: "Bash", events: .init(total: 2, toolCalls: 2, toolFailures: 1), sessions: nil),
                UsageRow(key: "Read", events: .init(total: 1, toolCalls: 1), sessions: nil),
            ]
        )
        #expect(try await usage(store, .day, days: 2).map(\.key) == ["2026-03-10", "2026-03-11"])
        store.stop()
    }
}

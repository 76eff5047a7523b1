import DatabaseSamples
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
    @Test(arguments: [0, 1, 3, 6, 7])
    func countedAndUncountedEventsAddUp(counted: Int64) async throws {
        let database = try TestDatabase()
        let machine = try database.makeMachine()
        let connection = try database.connect()
        var committer = BatchCommitter()
        _ = try committer.commit(makeEvents(machine)[...], on: connection)
        let projection = EventCountProjection()
        let page = try LogPage.read(after: 0, through: counted, limit: 100, on: connection)
        try projection.fold(page.events, on: connection)
        let cursor = try #require(try ProjectionPlace.read(projection.name, on: connection).cursor)
        #expect(try projection.write(from: cursor, to: counted, on: connection)?.seq == counted)
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
        let events = makeEvents(machine)
        for part in [Array(events.prefix(4)), Array(events.suffix(3))] {
            let harness = try WriterHarness(database.configuration)
            #expect(await harness.append(part).count == part.count)
            harness.stop()
        }
        #expect(try database.integers("SELECT seq FROM projections WHERE name = 'event_counts'") == [7])
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
        harness.stop()
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

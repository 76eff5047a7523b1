import EventModel
import Foundation
import Testing

@testable import Persistence

@Suite struct UsageReaderTests {
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

    private func usage(_ reader: EventReader, _ by: UsageQuery.Dimension, days: Double = 1) async throws -> [UsageRow] {
        try await reader.usage(UsageQuery(from: day, to: day.adding(seconds: 86400 * days), by: by))
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
        let reader = EventReader(configuration: database.configuration, logger: quiet)
        try reader.start()

        let events = UsageRow.Events(total: 5, prompts: 1, toolCalls: 3, toolFailures: 1)
        let sessions = UsageRow.Sessions(count: 1, messages: 2, tokens: TokenUsage(input: 3, output: 4), cost: 0.25)
        let workspace = WorkspaceID.make(machine: machine, path: "/home/dev/project")
        #expect(
            try await usage(reader, .day) == [UsageRow(key: "2026-03-10", events: events, sessions: sessions)]
        )
        #expect(
            try await usage(reader, .machine) == [
                UsageRow(key: String(machine.rawValue), name: "studio", events: events, sessions: sessions)
            ]
        )
        #expect(
            try await usage(reader, .project) == [
                UsageRow(key: workspace, name: "project", events: events, sessions: sessions)
            ]
        )
        #expect(try await usage(reader, .model) == [UsageRow(key: "opus", events: nil, sessions: sessions)])
        #expect(
            try await usage(reader, .tool) == [
                UsageRow(key: "Bash", events: .init(total: 2, toolCalls: 2, toolFailures: 1), sessions: nil),
                UsageRow(key: "Read", events: .init(total: 1, toolCalls: 1), sessions: nil),
            ]
        )
        #expect(try await usage(reader, .day, days: 2).map(\.key) == ["2026-03-10", "2026-03-11"])
        reader.stop()
    }
}

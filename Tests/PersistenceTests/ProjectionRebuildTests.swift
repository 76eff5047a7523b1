import DatabaseSamples
import EventModel
import Foundation
import Testing

@testable import Persistence

/// Tables made anew are equal to those that grew with the log.
@Suite struct ProjectionRebuildTests {
    private let start = Timestamp(rfc3339: "2026-03-10T12:00:00Z") ?? systemNow()

    private func dump(_ database: TestDatabase) throws -> [String] {
        let order = "day, quarter, machine_id, workspace_id, tool_name"
        return try database.texts("SELECT s::text FROM sessions s ORDER BY id")
            + database.texts("SELECT c::text FROM event_counts c ORDER BY \(order)")
    }

    private func rebuild(_ database: TestDatabase) throws {
        let rebuilder = Rebuilder(configuration: database.configuration, logger: quiet, clock: systemNow)
        for name in rebuilder.names { _ = try rebuilder.run(name).get() }
    }

    /// Many sessions of two machines that share ids, out of order, over days.
    private func events(_ machines: [MachineID], _ range: Range<UInt64>) -> [MonitorEvent] {
        let hooks = ["SessionStart", "UserPromptSubmit", "PreToolUse", "PermissionRequest", "PostToolUse", "Stop"]
        return range.map { id in
            let scattered = Double((id &* 7919) % 200_000)
            var event = makeEvent(
                id: id,
                machine: machines[Int(id % 5) / 3],
                session: id % 11 == 0 ? nil : "session-\(id % 17)",
                hook: hooks[Int(id % 6)],
                at: start.adding(seconds: scattered),
                project: id % 4 == 0 ? "/p\(id % 3)" : nil,
                tool: id % 3 == 0 ? "Bash" : nil
            )
            event.receivedAt = start.adding(seconds: Double(id))
            event.facts = SessionFacts(model: "m\(id % 2)", usage: TokenUsage(input: Int64(id)), costUSD: 0.1)
            return event
        }
    }

    @Test func rowsAreEqualByteForByte() async throws {
        let database = try TestDatabase()
        let machines = [try database.makeMachine("a"), try database.makeMachine("b")]
        for round in 0..<3 as Range<UInt64> {
            let harness = try WriterHarness(database.configuration)
            for part in 0..<10 as Range<UInt64> {
                let first = round * 500 + part * 50
                #expect(await harness.append(events(machines, first..<first + 50)).count == 50)
            }
            harness.stop()
        }
        let before = try dump(database)
        #expect(before.count > 40)
        try rebuild(database)
        #expect(try dump(database) == before)
        try database.execute("DELETE FROM sessions WHERE id < 'session-3'; UPDATE event_counts SET events = 1")
        #expect(try dump(database) != before)
        try rebuild(database)
        #expect(try dump(database) == before)
    }

    @Test(arguments: ["version = 99", "epoch = 'another'"])
    func anotherVersionOrEpochIsRebuiltByTheServer(change: String) async throws {
        let database = try TestDatabase()
        let machine = try database.makeMachine()
        let first = try WriterHarness(database.configuration)
        #expect(await first.append(events([machine, machine], 0..<40)).count == 40)
        first.stop()
        let before = try dump(database)
        try database.execute(
            "UPDATE projections SET \(change); DELETE FROM sessions WHERE id > 'session-3'; DELETE FROM event_counts"
        )
        let second = try WriterHarness(database.configuration)
        // The projections are already at the end of the log. Only the rebuild writes the right version.
        let rebuilt = "SELECT count(*) FROM projections WHERE name <> 'push' AND version < 99"
        for _ in 0..<2000 {
            if try database.integers(rebuilt) == [2] { break }
            try await Task.sleep(for: .milliseconds(10))
        }
        second.stop()
        #expect(try dump(database) == before)
        #expect(try database.integers("SELECT version FROM projections WHERE name <> 'push' ORDER BY name") == [2, 5])
    }

    @Test func whatRetentionHasCutStays() async throws {
        let database = try TestDatabase()
        let machine = try database.makeMachine()
        let now = systemNow()
        let old = now.adding(seconds: -3 * 86400)
        var configuration = database.configuration
        configuration.retentionDays = 2
        let maintenance = LogMaintenance(configuration: configuration, steps: [], logger: quiet)
        _ = try maintenance.run(now: old)
        let harness = try WriterHarness(configuration)
        _ = await harness.append([
            makeEvent(id: 1, machine: machine, session: "cut", at: old),
            makeEvent(id: 2, machine: machine, session: "gone", at: old),
        ])
        _ = await harness.append([
            makeEvent(id: 3, machine: machine, session: "cut", at: now),
            makeEvent(id: 4, machine: machine, session: "whole", at: now),
        ])
        try waitUntilProjected(configuration)
        #expect(try maintenance.run(now: now).deletedSessions == 1)
        #expect(try database.texts("SELECT id FROM sessions WHERE is_cut") == ["cut"])
        #expect(try database.texts("SELECT session_id FROM session_owners ORDER BY 1") == ["cut", "whole"])
        // Nobody remembers it.
        _ = await harness.append([makeEvent(id: 5, machine: machine, session: "gone", at: now)])
        harness.stop()
        #expect(try database.integers("SELECT tool_call_count FROM sessions ORDER BY id") == [2, 1, 1])
        let before = try dump(database)
        try rebuild(database)
        #expect(try dump(database) == before)
    }
}

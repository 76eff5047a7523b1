import EventModel
import Foundation
import Sessions
import Testing

@testable import Persistence

/// Rows of sessions are written behind the log. Nobody may notice.
@Suite struct DeferredSessionsTests {
    private static let writerName = "claude-monitor writer"

    /// Without a reason to, this writer writes no row within the test.
    private func makeHarness(_ database: TestDatabase, writesAfter seconds: Double = 3600) throws -> WriterHarness {
        var configuration = database.configuration
        configuration.sessionWriteSeconds = seconds
        return try WriterHarness(configuration)
    }

    private func count(_ store: PostgresStore, _ session: String = "session-1") async throws -> Int64? {
        try await store.session(id: session)?.toolCallCount
    }

    /// Two batches: the first makes the row, the second does not touch it.
    private func makeUnwritten(
        _ harness: WriterHarness,
        _ database: TestDatabase,
        machine: MachineID
    ) async throws {
        #expect(await harness.append([makeEvent(id: 1, machine: machine)]) == [.accepted(seq: 1)])
        var event = makeEvent(id: 2, machine: machine)
        event.facts = SessionFacts(model: "opus", title: "t", usage: TokenUsage(input: 7), costUSD: 0.25)
        #expect(await harness.append([event]) == [.accepted(seq: 2)])
        #expect(try database.integers("SELECT tool_call_count FROM sessions") == [1])
        #expect(try database.integers("SELECT folded_seq FROM log_head") == [1])
    }

    @Test func readerSeesEveryEventThatWasAcknowledgedBefore() async throws {
        let database = try TestDatabase()
        let machine = try database.makeMachine()
        let harness = try makeHarness(database)
        let store = try harness.makeReader(database.configuration)
        for id in 1...40 as ClosedRange<UInt64> {
            #expect(await harness.append([makeEvent(id: id, machine: machine)]) == [.accepted(seq: Int64(id))])
            let now = systemNow()
            switch id % 4 {
            case 0: #expect(try await count(store) == Int64(id))
            case 1:
                #expect(try await store.sessions(SessionQuery(now: now, limit: 1)).sessions[0].lastSeq == Int64(id))
            case 2: #expect(try await store.statistics(now: now).totalToolCalls == Int64(id))
            default: break
            }
        }
        store.stop()
        harness.writer.stop()
    }

    @Test func rowsAreWrittenInTimeWithoutFurtherEvents() async throws {
        let database = try TestDatabase()
        let machine = try database.makeMachine()
        let harness = try makeHarness(database, writesAfter: 0.05)
        for id in 1...2 as ClosedRange<UInt64> {
            #expect(await harness.append([makeEvent(id: id, machine: machine)]) == [.accepted(seq: Int64(id))])
        }
        for _ in 0..<1000 where try database.integers("SELECT folded_seq FROM log_head") != [2] {
            try await Task.sleep(for: .milliseconds(10))
        }
        #expect(try database.integers("SELECT tool_call_count FROM sessions") == [2])
        harness.writer.stop()
    }

    @Test func stopWritesThem() async throws {
        let database = try TestDatabase()
        let machine = try database.makeMachine()
        let harness = try makeHarness(database)
        try await makeUnwritten(harness, database, machine: machine)
        harness.writer.stop()
        #expect(try database.integers("SELECT tool_call_count FROM sessions") == [2])
    }

    @Test func stopWritesThemThoughTheConnectionHasJustBroken() async throws {
        let database = try TestDatabase()
        let machine = try database.makeMachine()
        let harness = try makeHarness(database)
        try await makeUnwritten(harness, database, machine: machine)
        try database.terminate(DeferredSessionsTests.writerName)
        harness.writer.stop()
        #expect(try database.integers("SELECT tool_call_count FROM sessions") == [2])
    }

    /// A head that is behind its log, and rows behind theirs, are what a crash leaves.
    @Test func successorOfACrashedWriterFoldsTheTailOfTheLog() async throws {
        let database = try TestDatabase()
        let machine = try database.makeMachine()
        let crashed = try makeHarness(database)
        try await makeUnwritten(crashed, database, machine: machine)
        try database.execute(
            """
            CREATE TABLE crash_head AS SELECT * FROM log_head; CREATE TABLE crash_sessions AS SELECT * FROM sessions
            """
        )
        crashed.writer.stop()
        let expected = try database.texts("SELECT fold FROM sessions")
        try database.execute(
            """
            DELETE FROM sessions; INSERT INTO sessions SELECT * FROM crash_sessions;
            UPDATE log_head SET folded_seq = (SELECT folded_seq FROM crash_head)
            """
        )
        let successor = try makeHarness(database)
        #expect(await successor.writer.settle())
        #expect(try database.texts("SELECT fold FROM sessions") == expected)
        #expect(try database.integers("SELECT folded_seq FROM log_head") == [2])
        #expect(await successor.append([makeEvent(id: 3, machine: machine)]) == [.accepted(seq: 3)])
        successor.writer.stop()
        #expect(try database.integers("SELECT tool_call_count FROM sessions") == [3])
        #expect(try database.integers("SELECT input_tokens FROM sessions") == [7])
    }

    @Test func lostConnectionBetweenBatchAndRowsCostsNothing() async throws {
        let database = try TestDatabase()
        let machine = try database.makeMachine()
        let harness = try makeHarness(database)
        try await makeUnwritten(harness, database, machine: machine)
        try database.terminate(DeferredSessionsTests.writerName)
        #expect(await harness.append([makeEvent(id: 3, machine: machine)]) == [.accepted(seq: 3)])
        harness.writer.stop()
        #expect(try database.integers("SELECT tool_call_count FROM sessions") == [3])
    }

    @Test func secondWriterFoldsWhatTheFirstLeftUnwritten() async throws {
        let database = try TestDatabase()
        let machine = try database.makeMachine()
        let first = try makeHarness(database)
        let second = try makeHarness(database)
        #expect(await second.wait { $0.isAvailable })
        #expect(await second.writer.settle())
        try await makeUnwritten(first, database, machine: machine)
        // Only now does the second one know that it is not alone.
        #expect(await second.append([makeEvent(id: 3, machine: machine)]) == [.accepted(seq: 3)])
        #expect(try database.integers("SELECT tool_call_count FROM sessions") == [3])
        #expect(await first.append([makeEvent(id: 4, machine: machine)]) == [.accepted(seq: 4)])
        // Both write every row from now on.
        #expect(try database.integers("SELECT tool_call_count FROM sessions") == [4])
        #expect(await second.append([makeEvent(id: 5, machine: machine)]) == [.accepted(seq: 5)])
        #expect(try database.integers("SELECT tool_call_count FROM sessions") == [5])
        first.writer.stop()
        second.writer.stop()
        #expect(try database.integers("SELECT tool_call_count FROM sessions") == [5])
    }

    @Test func readerOfASecondServerSeesTheEventsOfTheFirst() async throws {
        let database = try TestDatabase()
        let machine = try database.makeMachine()
        let first = try makeHarness(database)
        let second = try makeHarness(database)
        #expect(await second.wait { $0.isAvailable })
        #expect(await second.writer.settle())
        let store = try second.makeReader(database.configuration)
        try await makeUnwritten(first, database, machine: machine)
        #expect(try await count(store) == 2)
        #expect(await first.append([makeEvent(id: 3, machine: machine)]) == [.accepted(seq: 3)])
        #expect(try await count(store) == 3)
        store.stop()
        first.writer.stop()
        second.writer.stop()
    }

    @Test func deletedSessionBeginsAnewThoughTheWriterRemembersIt() async throws {
        let database = try TestDatabase()
        let machine = try database.makeMachine()
        let harness = try makeHarness(database)
        let store = try harness.makeReader(database.configuration)
        try await makeUnwritten(harness, database, machine: machine)
        #expect(try await store.deleteSession(id: "session-1"))
        #expect(try await !store.deleteSession(id: "session-1"))
        #expect(try await store.session(id: "session-1") == nil)
        #expect(await harness.append([makeEvent(id: 3, machine: machine)]) == [.accepted(seq: 3)])
        #expect(try await count(store) == 1)
        store.stop()
        harness.writer.stop()
    }

    /// A row that the database refuses must not stand in the way of the log.
    @Test func sessionThatCannotBeWrittenIsGivenUpAndItsEventsStay() async throws {
        let database = try TestDatabase()
        let machine = try database.makeMachine()
        let harness = try makeHarness(database)
        #expect(await harness.append([makeEvent(id: 1, machine: machine)]) == [.accepted(seq: 1)])
        try database.execute("ALTER TABLE sessions ADD CHECK (tool_call_count <> 2 OR id <> 'session-1')")
        #expect(await harness.append([makeEvent(id: 2, machine: machine)]) == [.accepted(seq: 2)])
        #expect(await harness.writer.settle())
        let other = makeEvent(id: 3, machine: machine, session: "session-2")
        #expect(await harness.append([other]) == [.accepted(seq: 3)])
        #expect(harness.writer.status.isAvailable)
        harness.writer.stop()
        #expect(try database.integers("SELECT seq FROM events ORDER BY seq") == [1, 2, 3])
        #expect(try database.integers("SELECT folded_seq FROM log_head") == [3])
    }
}

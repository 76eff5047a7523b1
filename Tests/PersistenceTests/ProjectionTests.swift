import DatabaseSamples
import EventModel
import Foundation
import Sessions
import Testing

@testable import Persistence

/// Rows of sessions are written behind the log. Nobody may notice.
@Suite struct ProjectionTests {
    private static let projectorName = "claude-monitor projector sessions"

    private func count(_ store: PostgresStore, _ session: String = "session-1") async throws -> Int64? {
        try await store.session(id: session)?.toolCallCount
    }

    private func folds(_ database: TestDatabase) throws -> [String] {
        try database.texts("SELECT fold FROM sessions ORDER BY id")
    }

    @Test func readerSeesEveryEventThatWasAcknowledgedBefore() async throws {
        let database = try TestDatabase()
        let machine = try database.makeMachine()
        let harness = try WriterHarness(database.configuration)
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
        harness.stop()
    }

    @Test func rowsAreWrittenWithoutAnybodyWaiting() async throws {
        let database = try TestDatabase()
        let machine = try database.makeMachine()
        let harness = try WriterHarness(database.configuration)
        for id in 1...2 as ClosedRange<UInt64> {
            #expect(await harness.append([makeEvent(id: id, machine: machine)]) == [.accepted(seq: Int64(id))])
        }
        try waitUntilProjected(database.configuration)
        #expect(try database.integers("SELECT tool_call_count FROM sessions") == [2])
        harness.stop()
    }

    /// Told of nothing, they still find what the log has.
    @Test func projectorsThatMissACommitReadItFromTheLog() async throws {
        let database = try TestDatabase()
        let machine = try database.makeMachine()
        let harness = try WriterHarness(database.configuration, hears: false)
        let store = try harness.makeReader(database.configuration)
        for id in 1...3 as ClosedRange<UInt64> {
            #expect(await harness.append([makeEvent(id: id, machine: machine)]) == [.accepted(seq: Int64(id))])
            #expect(try await count(store) == Int64(id))
        }
        store.stop()
        harness.stop()
    }

    /// Rows and cursor behind the log are what a crash leaves, and rows ahead of their cursor what a crash of the
    /// database may.
    @Test(arguments: [0, 1, 2, 3] as [Int64])
    func successorOfACrashedProjectorFoldsTheTailOfTheLog(cursor: Int64) async throws {
        let database = try TestDatabase()
        let machine = try database.makeMachine()
        let crashed = try WriterHarness(database.configuration)
        var event = makeEvent(id: 2, machine: machine)
        event.facts = SessionFacts(model: "opus", title: "t", usage: TokenUsage(input: 7), costUSD: 0.25)
        for event in [makeEvent(id: 1, machine: machine), event, makeEvent(id: 3, machine: machine, session: "b")] {
            #expect(await crashed.append([event]).first?.seq != nil)
        }
        crashed.stop()
        let expected = try folds(database)
        try database.execute("UPDATE projections SET seq = \(cursor) WHERE name = 'sessions'")
        if cursor == 0 { try database.execute("DELETE FROM sessions WHERE id = 'session-1'") }
        if cursor == 2 { try database.execute("DELETE FROM sessions WHERE id = 'b'") }
        let successor = try WriterHarness(database.configuration)
        try waitUntilProjected(database.configuration)
        #expect(try folds(database) == expected)
        #expect(await successor.append([makeEvent(id: 4, machine: machine)]) == [.accepted(seq: 4)])
        successor.stop()
        #expect(try database.integers("SELECT tool_call_count FROM sessions ORDER BY id") == [1, 3])
        #expect(try database.integers("SELECT input_tokens FROM sessions ORDER BY id") == [0, 7])
    }

    @Test func whatWasFoldedAndNotWrittenIsFoldedAgain() async throws {
        let database = try TestDatabase()
        let machine = try database.makeMachine()
        let connection = try database.connect()
        var committer = BatchCommitter()
        _ = try committer.commit([makeEvent(id: 1, machine: machine)][...], on: connection)
        let page = try LogPage.read(after: 0, through: 1, limit: 10, on: connection)
        let cursor = try #require(try ProjectionPlace.read("sessions", on: connection).cursor)
        let crashed = SessionProjection(logger: quiet)
        try crashed.fold(page.events, on: connection)
        let successor = SessionProjection(logger: quiet)
        try successor.fold(page.events, on: connection)
        #expect(try successor.write(from: cursor, to: 1, on: connection)?.seq == 1)
        #expect(try database.integers("SELECT tool_call_count FROM sessions") == [1])
        // One that did not notice that it leads no more writes nothing.
        #expect(try crashed.write(from: cursor, to: 1, on: connection) == nil)
        #expect(try database.integers("SELECT tool_call_count FROM sessions") == [1])
    }

    @Test func leaseFallsWithItsConnectionAndNobodyMissesAnything() async throws {
        let database = try TestDatabase()
        let machine = try database.makeMachine()
        let harness = try WriterHarness(database.configuration)
        let store = try harness.makeReader(database.configuration)
        for id in 1...5 as ClosedRange<UInt64> {
            #expect(await harness.append([makeEvent(id: id, machine: machine)]) == [.accepted(seq: Int64(id))])
            #expect(try await count(store) == Int64(id))
            try database.terminate(ProjectionTests.projectorName)
        }
        #expect(await harness.append([makeEvent(id: 6, machine: machine)]) == [.accepted(seq: 6)])
        try database.terminate(ProjectionTests.projectorName)
        #expect(try await count(store) == 6)
        store.stop()
        harness.stop()
    }

    @Test func deletedSessionBeginsAnewThoughEverybodyRemembersIt() async throws {
        let database = try TestDatabase()
        let (machine, other) = (try database.makeMachine(), try database.makeMachine("laptop"))
        let harness = try WriterHarness(database.configuration)
        let store = try harness.makeReader(database.configuration)
        _ = await harness.append([makeEvent(id: 1, machine: machine), makeEvent(id: 2, machine: machine)])
        #expect(try await store.deleteSession(id: "session-1"))
        #expect(try await !store.deleteSession(id: "session-1"))
        #expect(try await store.session(id: "session-1") == nil)
        #expect(await harness.append([makeEvent(id: 3, machine: other)]) == [.accepted(seq: 3)])
        #expect(try await count(store) == 1)
        #expect(harness.committed.last?.event.sessionID == "session-1")
        store.stop()
        harness.stop()
        let before = try folds(database)
        #expect(try rebuild(database) == 3)
        #expect(try folds(database) == before)
    }

    /// If the database refuses one row, the other rows are still written.
    @Test func sessionThatCannotBeWrittenIsGivenUpAndTheOthersAreNot() async throws {
        let database = try TestDatabase()
        let machine = try database.makeMachine()
        let harness = try WriterHarness(database.configuration)
        #expect(await harness.append([makeEvent(id: 1, machine: machine)]) == [.accepted(seq: 1)])
        try waitUntilProjected(database.configuration)
        try database.execute("ALTER TABLE sessions ADD CHECK (tool_call_count <> 2 OR id <> 'session-1')")
        let events = [makeEvent(id: 2, machine: machine), makeEvent(id: 3, machine: machine, session: "session-2")]
        #expect(await harness.append(events).count == 2)
        try waitUntilProjected(database.configuration)
        #expect(try database.texts("SELECT id FROM sessions ORDER BY id") == ["session-1", "session-2"])
        #expect(await harness.append([makeEvent(id: 4, machine: machine, session: "session-2")]).count == 1)
        harness.stop()
        #expect(try database.integers("SELECT tool_call_count FROM sessions ORDER BY id") == [1, 2])
    }

    private func rebuild(_ database: TestDatabase) throws -> Int64 {
        let rebuilder = Rebuilder(configuration: database.configuration, logger: quiet, clock: systemNow)
        var events: Int64 = 0
        for name in rebuilder.names { events = try rebuilder.run(name).get().events }
        return events
    }
}

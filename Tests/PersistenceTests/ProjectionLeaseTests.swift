import DatabaseSamples
import EventModel
import Foundation
import Testing

@testable import Persistence

@Suite struct ProjectionLeaseTests {
    private static let holders = """
        SELECT count(*) FROM pg_locks l, pg_database d
        WHERE l.locktype = 'advisory' AND l.granted AND d.oid = l.database AND d.datname = current_database()
            AND (l.classid::bigint << 32 | l.objid::bigint) = projection_lease('sessions')
        """

    @Test func readerOfEitherServerSeesTheEventsOfBoth() async throws {
        let database = try TestDatabase()
        let machine = try database.makeMachine()
        let servers = [try WriterHarness(database.configuration), try WriterHarness(database.configuration)]
        let stores = try servers.map { try $0.makeReader(database.configuration) }
        for id in 1...24 as ClosedRange<UInt64> {
            let poster = Int(id) % 2
            let reader = Int(id) / 2 % 2
            let session = "session-\(id % 3)"
            let event = makeEvent(id: id, machine: machine, session: session)
            #expect(await servers[poster].append([event]) == [.accepted(seq: Int64(id))])
            #expect(try await stores[reader].session(id: session)?.lastSeq == Int64(id))
            #expect(try database.integers(ProjectionLeaseTests.holders) == [1])
        }
        stores.forEach { $0.stop() }
        servers.forEach { $0.stop() }
        #expect(try database.integers("SELECT sum(tool_call_count)::bigint FROM sessions") == [24])
    }

    @Test func aServerThatStopsLeavesTheLeaseToTheOther() async throws {
        let database = try TestDatabase()
        let machine = try database.makeMachine()
        let first = try WriterHarness(database.configuration)
        #expect(await first.append([makeEvent(id: 1, machine: machine)]) == [.accepted(seq: 1)])
        try waitUntilProjected(database.configuration)
        let second = try WriterHarness(database.configuration)
        let store = try second.makeReader(database.configuration)
        #expect(await second.append([makeEvent(id: 2, machine: machine)]) == [.accepted(seq: 2)])
        first.stop()
        #expect(await second.append([makeEvent(id: 3, machine: machine)]) == [.accepted(seq: 3)])
        #expect(try await store.session(id: "session-1")?.toolCallCount == 3)
        store.stop()
        second.stop()
    }

    @Test func aReadWaitsForALeaseThatNobodyUsesAndThenSaysSo() async throws {
        let database = try TestDatabase()
        let machine = try database.makeMachine()
        var configuration = database.configuration
        configuration.projectionWaitSeconds = 0.3
        let holder = try database.connect()
        try holder.execute("SELECT pg_advisory_lock(projection_lease('sessions'))", as: "hold")
        let harness = try WriterHarness(configuration)
        let store = try harness.makeReader(configuration)
        // What is there already can be read.
        #expect(try await store.session(id: "session-1") == nil)
        #expect(await harness.append([makeEvent(id: 1, machine: machine)]) == [.accepted(seq: 1)])
        let error = await #expect(throws: PersistenceError.self) { try await store.session(id: "session-1") }
        #expect(error?.kind == .behind && error?.isRetriable == true)
        let rebuilder = Rebuilder(configuration: configuration, logger: quiet, clock: systemNow)
        guard case .failure(.leaseHeld("sessions", let by)) = rebuilder.run("sessions") else {
            Issue.record("the lease is held")
            return
        }
        #expect(by.contains("'test'"))
        try holder.execute("SELECT pg_advisory_unlock_all()", as: "release")
        try waitUntilProjected(configuration)
        #expect(try await store.session(id: "session-1")?.toolCallCount == 1)
        store.stop()
        harness.stop()
    }

    @Test func aRunningServerGivesTheLeaseToARebuildAndTakesItBack() async throws {
        let database = try TestDatabase()
        let machine = try database.makeMachine()
        let harness = try WriterHarness(database.configuration)
        #expect(await harness.append([makeEvent(id: 1, machine: machine)]) == [.accepted(seq: 1)])
        try waitUntilProjected(database.configuration)
        try database.execute("UPDATE sessions SET tool_call_count = 77")
        let rebuilder = Rebuilder(configuration: database.configuration, logger: quiet, clock: systemNow)
        #expect(try rebuilder.run("sessions").get() == Rebuilder.Outcome(events: 1, through: 1))
        #expect(try database.integers("SELECT tool_call_count FROM sessions") == [1])
        #expect(await harness.append([makeEvent(id: 2, machine: machine)]) == [.accepted(seq: 2)])
        harness.stop()
        #expect(try database.integers("SELECT tool_call_count FROM sessions") == [2])
    }
}

import DatabaseSamples
import EventModel
import Foundation
import Synchronization
import Testing
import Workers

@testable import Persistence

/// Clients that append four events at a time until all are in the log.
private final class Load: Sendable {
    static let clients = 6
    private let harness: WriterHarness
    private let machine: MachineID
    private let running = Mutex(Load.clients)

    init(harness: WriterHarness, machine: MachineID) {
        self.harness = harness
        self.machine = machine
    }

    var isRunning: Bool { running.withLock { $0 > 0 } }

    func run(client: Int) async {
        for request in 0..<60 {
            let base = UInt64(client * 10_000 + request * 10)
            let events = (0..<4).map { makeEvent(id: base + $0, machine: machine, session: "session-\(client)") }
            let outcomes = await harness.appendUntilAvailable(events)
            #expect(outcomes.compactMap(\.seq).count == 4)
        }
        running.withLock { $0 -= 1 }
    }
}

@Suite struct WriterConnectionLossTests {
    private let writerName = "claude-monitor writer"

    @Test func backendKilledBetweenBatchesCostsNothing() async throws {
        let database = try TestDatabase()
        let machine = try database.makeMachine()
        let harness = try WriterHarness(database.configuration)
        #expect(await harness.append([makeEvent(id: 1, machine: machine)]) == [.accepted(seq: 1)])
        try database.terminate(writerName)
        #expect(await harness.append([makeEvent(id: 2, machine: machine)]) == [.accepted(seq: 2)])
        #expect(harness.writer.status.connections == 2)
        harness.stop()
    }

    @Test func idleWriterComesBackWithoutTraffic() async throws {
        let database = try TestDatabase()
        let harness = try WriterHarness(database.configuration)
        #expect(await harness.wait { $0.connections == 1 })
        try database.terminate(writerName)
        #expect(await harness.wait { $0.connections == 2 && $0.isAvailable })
        #expect(harness.writer.status.lastError != nil)
        harness.stop()
    }

    /// Clients send again what was answered as unavailable; then each event must be in the log and published just once.
    @Test func killsUnderLoadLoseNothingAndDoubleNothing() async throws {
        let database = try TestDatabase()
        let machine = try database.makeMachine()
        let harness = try WriterHarness(database.configuration)
        // One connection is lost in any case, should the load end before the next kill.
        #expect(await harness.wait { $0.isAvailable })
        try database.terminate(writerName)
        let load = Load(harness: harness, machine: machine)
        for client in 0..<Load.clients { Task { await load.run(client: client) } }
        // Ever less often: on a machine that is slow to connect, nothing would be committed between two kills.
        var pause = 30
        while load.isRunning {
            try? database.terminate(writerName)
            try? await Task.sleep(for: .milliseconds(pause))
            pause += 10
        }
        harness.stop()
        let stored = try database.integers("SELECT seq FROM events ORDER BY seq")
        #expect(stored == Array(1...1440))
        #expect(harness.committed.map(\.seq) == stored)
        #expect(try database.integers("SELECT count(DISTINCT event_id) FROM events") == [1440])
        #expect(try database.integers("SELECT sum(tool_call_count)::bigint FROM sessions") == [1440])
        #expect(harness.writer.status.connections > 1)
    }

    /// The commit went through, but its confirmation was lost with the connection.
    @Test func unconfirmedCommitIsFoundAndPublishedOnce() async throws {
        let database = try TestDatabase()
        let machine = try database.makeMachine()
        let proxy = try CuttingProxy(serverDirectory: try #require(database.socketDirectory))
        var configuration = database.configuration
        configuration.conninfo = proxy.conninfo(for: database.conninfo)
        let harness = try WriterHarness(configuration)
        #expect(await harness.append([makeEvent(id: 1, machine: machine)]) == [.accepted(seq: 1)])
        proxy.arm()
        let events = [makeEvent(id: 1, machine: machine), makeEvent(id: 2, machine: machine)]
        #expect(await harness.append(events) == [.duplicate(seq: 1), .accepted(seq: 2)])
        #expect(proxy.cuts == 1)
        #expect(harness.committed.map(\.seq) == [1, 2])
        #expect(try database.integers("SELECT seq FROM events ORDER BY seq") == [1, 2])
        harness.stop()
        proxy.stop()
    }

    /// As above, but the batch is given up before the connection is back: the events are published all the same.
    @Test func unconfirmedCommitIsPublishedAfterItsBatchWasGivenUp() async throws {
        let database = try TestDatabase()
        let machine = try database.makeMachine()
        let proxy = try CuttingProxy(serverDirectory: try #require(database.socketDirectory))
        var configuration = database.configuration
        configuration.conninfo = proxy.conninfo(for: database.conninfo)
        configuration.commitRetrySeconds = 0
        let harness = try WriterHarness(configuration)
        #expect(await harness.append([makeEvent(id: 1, machine: machine)]) == [.accepted(seq: 1)])
        proxy.arm()
        let event = makeEvent(id: 2, machine: machine)
        guard case .unavailable? = await harness.append([event]).first else {
            Issue.record("expected unavailable")
            return
        }
        #expect(await harness.wait { $0.connections == 2 })
        #expect(harness.committed.map(\.seq) == [1, 2])
        #expect(await harness.append([event]) == [.duplicate(seq: 2)])
        #expect(harness.committed.map(\.seq) == [1, 2])
        harness.stop()
        proxy.stop()
    }

    @Test func withoutDatabaseAppendsAreAnsweredAtOnce() async throws {
        var configuration = PersistenceConfiguration(
            conninfo: "postgresql://nobody:secret@/none?host=%2Fnonexistent",
            migrationsDirectory: TestDatabase.migrations
        )
        // A batch that waits for the next attempt gets no answer during this test.
        configuration.commitRetrySeconds = 3600
        let harness = try WriterHarness(configuration)
        #expect(await harness.wait { $0.lastError != nil })
        let answers = Mailbox<[AppendOutcome]>(byteLimit: .max)
        for id in 1...5 {
            #expect(
                harness.writer.append([makeEvent(id: UInt64(id))]) { outcomes in
                    _ = answers.offer(outcomes, bytes: 1)
                }
            )
            guard case .elements(let answer) = answers.takeAll(timeoutMilliseconds: 20_000),
                case .unavailable(let retryAfter)? = answer.first?.first
            else {
                Issue.record("expected unavailable")
                return
            }
            #expect((1...5).contains(retryAfter))
        }
        let status = harness.writer.status
        #expect(!status.isAvailable)
        #expect(status.lastError?.contains("secret") == false)
        harness.stop()
    }

    @Test func readOnlyDatabaseIsUnavailableUntilItTakesWritesAgain() async throws {
        let database = try TestDatabase()
        let machine = try database.makeMachine()
        try database.execute("ALTER DATABASE \(database.name) SET default_transaction_read_only = on")
        let harness = try WriterHarness(database.configuration)
        #expect(await harness.wait { $0.lastError != nil })
        #expect(!harness.writer.status.isAvailable)
        let connection = try database.connect()
        try connection.execute("SET default_transaction_read_only = off", as: "test")
        try connection.execute("ALTER DATABASE \(database.name) RESET default_transaction_read_only", as: "test")
        #expect(await harness.wait { $0.isAvailable })
        #expect(await harness.append([makeEvent(id: 1, machine: machine)]) == [.accepted(seq: 1)])
        harness.stop()
    }

    @Test func databaseWithoutSchemaIsUnavailableUntilItIsMigrated() async throws {
        let database = try TestDatabase(migrated: false)
        let harness = try WriterHarness(database.configuration)
        #expect(await harness.wait { $0.lastError != nil })
        #expect(!harness.writer.status.isAvailable)
        try Migrator(configuration: database.configuration, logger: quiet).run()
        #expect(await harness.wait { $0.isAvailable })
        harness.stop()
    }
}

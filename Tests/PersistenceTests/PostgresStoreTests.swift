import DatabaseSamples
import EventModel
import Foundation
import Testing

@testable import Persistence

@Suite struct PostgresStoreTests {
    /// Six events: seq 1-3 in session a, 4-5 in session b on another machine, 6 outside any session.
    private func makeLog() async throws -> (TestDatabase, PostgresStore, [MonitorEvent]) {
        let database = try TestDatabase()
        let machine = try database.makeMachine()
        let other = try database.makeMachine("laptop")
        var events = (1...3).map { makeEvent(id: $0, machine: machine, session: "a") }
        events += (4...5).map {
            makeEvent(id: $0, machine: other, machineName: "laptop", session: "b", project: "/srv/b")
        }
        events.append(makeEvent(id: 6, machine: machine, session: nil, hook: "Notification", project: nil, tool: nil))
        // On the laptop, under the name of the other machine.
        events[3].reportedMachineName = "studio"
        let harness = try WriterHarness(database.configuration)
        _ = await harness.append(events)
        harness.stop()
        let store = PostgresStore(configuration: database.configuration, logger: quiet)
        try store.start()
        return (database, store, events)
    }

    private func query(limit: Int = 100, _ change: (inout EventQuery) -> Void) -> EventQuery {
        var query = EventQuery(limit: limit)
        change(&query)
        return query
    }

    @Test func boundsOfAnEmptyLogLieBehindItsHead() async throws {
        let database = try TestDatabase()
        let store = PostgresStore(configuration: database.configuration, logger: quiet)
        try store.start()
        let bounds = try await store.bounds()
        #expect(bounds.head == 0)
        #expect(bounds.oldest == 1)
        #expect(!bounds.epoch.isEmpty)
        store.stop()
    }

    @Test func boundsAreTheOldestStoredAndTheNewestCommitted() async throws {
        let (database, store, _) = try await makeLog()
        try database.execute("DELETE FROM events WHERE seq < 3")
        let bounds = try await store.bounds()
        #expect(bounds.oldest == 3)
        #expect(bounds.head == 6)
        store.stop()
    }

    @Test func eventsComeBackAsTheyWereWritten() async throws {
        let (_, store, events) = try await makeLog()
        let read = try await store.events(EventQuery(limit: 1000)).events
        #expect(read.map(\.seq) == Array(1...6))
        #expect(read.map(\.event) == events)
        #expect(read[0].workspaceID == WorkspaceID.make(machine: events[0].machine, path: "/home/dev/project"))
        store.stop()
    }

    @Test func everyFilterNarrowsTheEvents() async throws {
        let (_, store, events) = try await makeLog()
        let workspace = WorkspaceID.make(machine: events[3].machine, path: "/srv/b")
        let cases: [(EventQuery, [Int64])] = [
            (query { $0.after = 4 }, [5, 6]),
            (query { $0.before = 3 }, [1, 2]),
            (query(limit: 2) { $0.isDescending = true }, [6, 5]),
            (query { $0.sessionID = "b" }, [4, 5]),
            (query { $0.workspaceID = workspace }, [4, 5]),
            (query { $0.machine = .machine(events[0].machine) }, [1, 2, 3, 6]),
            (query { $0.machine = .reported("studio") }, [4]),
            (query { $0.types = [EventType(rawValue: "notification")] }, [6]),
            (
                query {
                    $0.types = [.tool, EventType(rawValue: "notification")]; $0.after = 4
                }, [5, 6]
            ),
            (
                query {
                    $0.sessionID = "a"; $0.after = 1; $0.before = 3; $0.isDescending = true
                }, [2]
            ),
            (query { $0.sessionID = "none" }, []),
        ]
        for (query, expected) in cases {
            #expect(try await store.events(query).events.map(\.seq) == expected, "\(query)")
        }
        store.stop()
    }

    @Test func aPageEndsBeforeItHoldsTooManyBytes() async throws {
        let (_, store, events) = try await makeLog()
        let first = events[0].payload.count
        for (maxBytes, isDescending, expected) in [
            (0, false, [1]), (first, false, [1]), (0, true, [6]), (1 << 20, false, [1, 2, 3, 4, 5, 6]),
        ] as [(Int, Bool, [Int64])] {
            let page = try await store.events(
                query {
                    $0.maxBytes = maxBytes
                    $0.isDescending = isDescending
                }
            )
            #expect(page.events.map(\.seq) == expected)
            #expect(page.isComplete == (expected.count == 6))
        }
        #expect(try await store.events(query { $0.sessionID = "none" }).isComplete)
        store.stop()
    }

    @Test func eventIsFoundById() async throws {
        let (_, store, events) = try await makeLog()
        #expect(try await store.event(id: events[4].id)?.seq == 5)
        #expect(try await store.event(id: EventID(high: 0, low: 0)) == nil)
        store.stop()
    }

    @Test func deadConnectionsAreReplacedUnseen() async throws {
        let (database, store, _) = try await makeLog()
        for _ in 0..<6 {
            #expect(try await store.bounds().head == 6)
            try database.terminate("claude-monitor reader")
        }
        #expect(try await store.events(EventQuery(limit: 10)).events.count == 6)
        store.stop()
    }

    @Test func schemaChangeUnderAPreparedStatementIsSurvived() async throws {
        let (database, store, _) = try await makeLog()
        for _ in 0..<4 { #expect(try await store.bounds().head == 6) }
        try database.execute("ALTER TABLE log_head ALTER COLUMN epoch TYPE varchar")
        for _ in 0..<4 { #expect(try await store.bounds().head == 6) }
        store.stop()
    }

    @Test func hurriedReaderWaitsForNoDatabaseThatHangs() async throws {
        let database = try TestDatabase()
        var configuration = database.configuration
        configuration.storeConnections = 1
        let store = PostgresStore(configuration: configuration, logger: quiet)
        try store.start()
        #expect(try await store.bounds().head == 0)
        store.cancelPending()
        #expect(try await store.bounds().head == 0)
        // A sleep that its server would end only after ten seconds, by an error of its own.
        let hanging = await #expect(throws: PersistenceError.self) {
            try await store.pool.run { connection throws(PersistenceError) in
                try connection.execute("SELECT pg_sleep(30)", as: "sleep")
            }
        }
        #expect(hanging?.kind == .timedOut)
        let stopped = await #expect(throws: PersistenceError.self) { try await store.bounds() }
        #expect(stopped?.kind == .stopped)
        store.stop()
    }

    @Test func slowQueryIsEndedByTheServer() async throws {
        let database = try TestDatabase()
        var configuration = database.configuration
        configuration.readTimeoutSeconds = 1
        let store = PostgresStore(configuration: configuration, logger: quiet)
        try store.start()
        let error = await #expect(throws: PersistenceError.self) {
            try await store.pool.run { connection throws(PersistenceError) in
                try connection.execute("SELECT pg_sleep(30)", as: "sleep")
            }
        }
        #expect(error?.sqlState == .queryCanceled)
        #expect(error?.isRetriable == true)
        #expect(try await store.bounds().head == 0)
        store.stop()
    }

    @Test func withoutDatabaseAndAfterStopQueriesFail() async throws {
        let configuration = PersistenceConfiguration(
            conninfo: "postgresql://nobody:secret@/none?host=%2Fnonexistent",
            migrationsDirectory: TestDatabase.migrations
        )
        let store = PostgresStore(configuration: configuration, logger: quiet)
        try store.start()
        let unreachable = await #expect(throws: PersistenceError.self) { try await store.bounds() }
        #expect(unreachable?.kind == .connectionFailed)
        #expect(unreachable?.isRetriable == true)
        store.stop()
        let stopped = await #expect(throws: PersistenceError.self) { try await store.bounds() }
        #expect(stopped?.kind == .overloaded)
    }

    /// With enough rows for the planner to care, a session's events come from the index of session and seq.
    @Test func sessionEventsAreReadThroughTheIndex() async throws {
        let database = try TestDatabase()
        _ = try LogMaintenance(configuration: database.configuration, steps: [], logger: quiet).run(now: systemNow())
        try database.execute(
            """
            INSERT INTO events (seq, event_id, type, occurred_at, received_at, machine_id, machine_name, session_id,
                summary, payload)
            SELECT n, gen_random_uuid(), 'tool', now(), now(), 1, 'm', 'session-' || n % 200, 's', '{}'
            FROM generate_series(1, 40000) AS n
            """
        )
        try database.execute("ANALYZE events")
        for isDescending in [false, true] {
            let (statement, parameters) = EventSelection.make(
                query(limit: 50) {
                    $0.sessionID = "session-7"
                    $0.after = 1000
                    $0.isDescending = isDescending
                }
            )
            let explain = Statement("explain\(isDescending)", statement.parameters, "EXPLAIN " + statement.sql)
            let plan: [String] = try database.connect().query(explain, parameters).values()
            #expect(plan.contains { $0.contains("session_id_seq") }, "\(plan)")
            #expect(!plan.contains { $0.contains("Seq Scan") || $0.contains("Sort  ") }, "\(plan)")
        }
    }
}

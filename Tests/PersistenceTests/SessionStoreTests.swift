import DatabaseSamples
import EventModel
import Foundation
import Sessions
import Testing

@testable import Persistence

@Suite struct SessionStoreTests {
    private let now = systemNow()

    /// Sessions s1 (ended), s2 (idle), s3 and s4 (active, on another machine), the latest active last.
    private func makeSessions() async throws -> (TestDatabase, PostgresStore) {
        let database = try TestDatabase()
        let machine = try database.makeMachine()
        let other = try database.makeMachine("laptop")
        var events = [
            makeEvent(id: 1, machine: machine, session: "s1", at: now.adding(seconds: -900)),
            makeEvent(id: 2, machine: machine, session: "s1", hook: "SessionEnd", at: now.adding(seconds: -800)),
            makeEvent(id: 3, machine: machine, session: "s2", hook: "UserPromptSubmit", at: now.adding(seconds: -600)),
            makeEvent(id: 4, machine: other, machineName: "laptop", session: "s3", at: now.adding(seconds: -20)),
            makeEvent(
                id: 5,
                machine: other,
                machineName: "laptop",
                session: "s4",
                hook: "PermissionRequest",
                at: now.adding(seconds: -10)
            ),
        ]
        events[3].facts = SessionFacts(
            model: "opus",
            usage: TokenUsage(input: 1, output: 2, cacheRead: 3, cacheCreation: 4),
            costUSD: 0.5
        )
        events[3].reportedMachineName = "build-box"
        let harness = try WriterHarness(database.configuration)
        let outcomes = await harness.append(events)
        #expect(outcomes.compactMap(\.seq) == Array(1...5))
        harness.stop()
        let store = PostgresStore(configuration: database.configuration, logger: quiet)
        try store.start()
        return (database, store)
    }

    private func query(limit: Int = 10, _ change: (inout SessionQuery) -> Void = { _ in }) -> SessionQuery {
        var query = SessionQuery(now: now, limit: limit)
        change(&query)
        return query
    }

    @Test func everyFilterNarrowsTheSessions() async throws {
        let (_, store) = try await makeSessions()
        let machines = try await store.machines()
        let laptop = try #require(machines.first { $0.name == "laptop" })
        let studio = try #require(machines.first { $0.name == "studio" }).id
        let workspace = WorkspaceID.make(machine: laptop.id, path: "/home/dev/project")
        let cases: [(SessionQuery, [String])] = [
            (query(), ["s4", "s3", "s2", "s1"]),
            (query { $0.status = .active }, ["s4", "s3"]),
            (query { $0.status = .idle }, ["s2"]),
            (query { $0.status = .ended }, ["s1"]),
            (query { $0.isRunning = true }, ["s4", "s3"]),
            (query { $0.machine = .machine(studio) }, ["s2", "s1"]),
            (query { $0.machine = .reported("build-box") }, ["s3"]),
            (query { $0.workspaceID = workspace }, ["s4", "s3"]),
            (
                query {
                    $0.status = .active; $0.machine = .machine(studio)
                }, []
            ),
            (query { $0.state = .waiting }, ["s4"]),
            (query { $0.words = ["PROJECT", "lap"] }, ["s4", "s3"]),
            (query { $0.words = ["s2"] }, ["s2"]),
            (query { $0.words = ["%"] }, []),
            (query { $0.words = ["_"] }, []),
            (query { $0.words = ["\\"] }, []),
            (query { $0.isArchived = true }, []),
            (query { $0.isArchived = nil }, ["s4", "s3", "s2", "s1"]),
            (query { $0.isAscending = true }, ["s1", "s2", "s3", "s4"]),
            (query { $0.order = .started }, ["s4", "s3", "s2", "s1"]),
            (query { $0.order = .duration }, ["s1", "s4", "s3", "s2"]),
            (query { $0.order = .cost }, ["s3", "s4", "s2", "s1"]),
        ]
        for (query, expected) in cases {
            let page = try await store.sessions(query)
            #expect(page.sessions.map(\.id) == expected, "\(query)")
            #expect(page.next == nil)
            #expect(page.total == Int64(expected.count))
        }
        store.stop()
    }

    @Test(arguments: SessionQuery.Order.allCases, [true, false])
    func cursorLeadsThroughAllPages(order: SessionQuery.Order, isAscending: Bool) async throws {
        let (_, store) = try await makeSessions()
        let whole = query {
            $0.order = order; $0.isAscending = isAscending
        }
        let expected = try await store.sessions(whole).sessions.map(\.id)
        var seen: [String] = []
        var page = query(limit: 1) {
            $0.order = order; $0.isAscending = isAscending
        }
        for _ in 0..<4 {
            let found = try await store.sessions(page)
            seen += found.sessions.map(\.id)
            #expect(found.total == 4)
            #expect((found.next != nil) == (seen.count < 4))
            page.cursor = found.next
        }
        #expect(seen == expected)
        store.stop()
    }

    @Test func offsetComesWithTheTotal() async throws {
        let (_, store) = try await makeSessions()
        let page = try await store.sessions(query(limit: 2) { $0.offset = 1 })
        #expect(page.sessions.map(\.id) == ["s3", "s2"])
        #expect(page.next != nil)
        #expect(page.total == 4)
        store.stop()
    }

    @Test func sessionIsTheFoldOfItsEvents() async throws {
        let (_, store) = try await makeSessions()
        let session = try #require(try await store.session(id: "s4"))
        #expect(session.state == .waiting)
        #expect(session.waitingFor?.toolName == "Bash")
        #expect(session.lastSeq == 5)
        #expect(session.startedAt == now.adding(seconds: -10))
        #expect(try await store.session(id: "none") == nil)
        store.stop()
    }

    @Test func statisticsSumUpAllSessions() async throws {
        let (_, store) = try await makeSessions()
        let statistics = try await store.statistics(now: now)
        #expect(statistics.activeSessions == 2)
        #expect(statistics.idleSessions == 1)
        #expect(statistics.endedSessions == 1)
        #expect(statistics.waitingSessions == 1)
        #expect(statistics.totalMessages == 1)
        #expect(statistics.totalToolCalls == 2)
        #expect(statistics.tokens == TokenUsage(input: 1, output: 2, cacheRead: 3, cacheCreation: 4))
        #expect(statistics.totalCost == 0.5)
        #expect(statistics.modelsInUse == ["opus"])
        store.stop()
    }

    @Test func openSessionsAreCountedWithoutReadingTheOthers() async throws {
        let (database, store) = try await makeSessions()
        // 30,000 more that ended long ago, and as many that were never ended.
        try database.execute(
            """
            INSERT INTO sessions SELECT (jsonb_populate_record(s, jsonb_build_object('id', s.id || n))).*
            FROM sessions s, generate_series(1, 30000) n WHERE s.id IN ('s1', 's2');
            ANALYZE sessions
            """
        )
        let open = try await store.openSessions(now: now)
        #expect(open.active == 2)
        #expect(open.waiting == 1)
        #expect(open.running == 1)
        #expect(try await store.idleSessions(now: now) == 30_001)
        let sql = LogStatements.openSessions.sql.replacingOccurrences(
            of: "$1",
            with: "now() - interval '5 minutes'"
        )
        let plan = try database.texts("EXPLAIN \(sql)").joined(separator: "\n")
        #expect(plan.contains("sessions_by_activity") && plan.contains("sessions_waiting"))
        #expect(!plan.contains("Seq Scan"))
    }

    @Test func machinesTellWhatTheyAreCalledAndWhenTheyWereSeen() async throws {
        let (_, store) = try await makeSessions()
        let machines = try await store.machines()
        #expect(machines.map(\.name) == ["laptop", "studio"])
        #expect(machines.map(\.reportedName) == ["laptop", "studio"])
        #expect(machines.map(\.sessionCount) == [2, 2])
        #expect(machines[0].lastSeenAt == now.adding(seconds: -10))
        store.stop()
    }

    @Test func aMachineIsFoundByNameOrNumberAndNotByWhatItCallsItself() async throws {
        let (database, store) = try await makeSessions()
        let numbers = try database.integers("SELECT id FROM machines WHERE id <> 0 ORDER BY name")
        // Its name is the number of another one.
        let other = try database.makeMachine(String(numbers[0]))
        #expect(try await store.machine(named: "laptop")?.rawValue == numbers[0])
        #expect(try await store.machine(named: String(numbers[0])) == other)
        #expect(try await store.machine(named: String(numbers[1]))?.rawValue == numbers[1])
        #expect(try await store.machine(named: "build-box") == nil)
        store.stop()
    }
}

import DatabaseSamples
import EventModel
import Foundation
import Testing

@testable import Persistence

@Suite struct ProjectStoreTests {
    private let now = systemNow()

    private func open(_ database: TestDatabase) throws -> PostgresStore {
        let store = PostgresStore(configuration: database.configuration, logger: quiet)
        try store.start()
        return store
    }

    private func query(limit: Int = 10, _ change: (inout ProjectQuery) -> Void = { _ in }) -> ProjectQuery {
        var query = ProjectQuery(now: now, limit: limit)
        change(&query)
        return query
    }

    /// Three projects of two machines, each with one session, the latest active last.
    private func makeProjects(_ database: TestDatabase) async throws -> WriterHarness {
        let studio = try database.makeMachine()
        let laptop = try database.makeMachine("laptop")
        let harness = try WriterHarness(database.configuration)
        let outcomes = await harness.append([
            makeEvent(id: 1, machine: studio, session: "s1", at: now.adding(seconds: -900), project: "/home/dev/a"),
            makeEvent(id: 2, machine: studio, session: "s2", at: now.adding(seconds: -600), project: "/home/dev/b"),
            makeEvent(
                id: 3,
                machine: laptop,
                machineName: "laptop",
                session: "s3",
                at: now.adding(seconds: -10),
                project: "/home/dev/c"
            ),
        ])
        #expect(outcomes.compactMap(\.seq) == [1, 2, 3])
        try waitUntilProjected(database.configuration)
        return harness
    }

    @Test func projectsComeFromEventsWithTheirSessions() async throws {
        let database = try TestDatabase()
        let harness = try await makeProjects(database)
        let store = try open(database)
        let all = try await store.projects(query())
        #expect(all.projects.map(\.name) == ["c", "b", "a"])
        #expect(all.projects.map(\.sessionCount) == [1, 1, 1])
        #expect(all.projects.map(\.activeSessionCount) == [1, 0, 0])
        #expect(all.projects[0].machineName == "laptop")
        #expect(all.total == nil && !all.hasMore)
        let studio = try #require(try await store.machine(named: "studio"))
        #expect(try await store.projects(query { $0.machine = .machine(studio) }).projects.map(\.name) == ["b", "a"])
        try database.execute("UPDATE machines SET reported_name = 'box' WHERE name = 'laptop'")
        let reported = try await store.projects(
            query {
                $0.machine = .reported("box")
                $0.offset = 0
            }
        )
        #expect(reported.projects.map(\.name) == ["c"] && reported.total == 1)
        let page = try await store.projects(query(limit: 1) { $0.offset = 1 })
        #expect(page.projects.map(\.name) == ["b"])
        #expect(page.total == 3 && page.hasMore)
        let last = all.projects[1]
        let behind = query { $0.cursor = ListCursor(at: last.lastActivityAt, id: last.id) }
        #expect(try await store.projects(behind).projects.map(\.name) == ["a"])
        harness.stop()
        store.stop()
    }

    @Test func deletedProjectIsHiddenUntilItsNextEvent() async throws {
        let database = try TestDatabase()
        let harness = try await makeProjects(database)
        let store = try harness.makeReader(database.configuration)
        let project = try #require(try await store.projects(query()).projects.first)
        let machine = try #require(project.machine)
        #expect(try await store.deleteProject(id: project.id))
        #expect(try await store.deleteProject(id: project.id) == false)
        #expect(try await store.project(id: project.id, now: now) == nil)
        #expect(try await store.projects(query { $0.offset = 0 }).total == 2)
        // Within the minute in which the writer does not touch the workspace's row again.
        _ = await harness.append([
            makeEvent(id: 9, machine: machine, machineName: "laptop", session: "s3", project: "/home/dev/c")
        ])
        #expect(try await store.project(id: project.id, now: now)?.name == "c")
        harness.stop()
        store.stop()
    }

    @Test func projectMadeForADirectoryIsTheOneItsEventsTellOf() async throws {
        let database = try TestDatabase()
        let machine = try database.makeMachine()
        let store = try open(database)
        var new = NewProject(spareID: "ws-ffffffffffffffff", name: "Shop")
        new.machine = "studio"
        new.path = "/srv/shop"
        new.settings = Array(#"{"b":1,"a":2}"#.utf8)
        let id = WorkspaceID.make(machine: machine, path: "/srv/shop")
        #expect(try await store.createProject(new) == .created(id: id))
        #expect(try await store.createProject(new) == .exists(id: id))
        let harness = try WriterHarness(database.configuration)
        _ = await harness.append([makeEvent(id: 1, machine: machine, project: "/srv/shop")])
        harness.stop()
        let project = try #require(try await store.project(id: id, now: now))
        #expect(project.name == "Shop")
        #expect(project.sessionCount == 1)
        #expect(project.settings == new.settings)
        store.stop()
    }

    @Test func projectOfADirectoryAloneIsOnTheOnlyMachineOrOnTheOneThatHasTheDirectory() async throws {
        let database = try TestDatabase()
        let store = try open(database)
        var new = NewProject(spareID: "ws-0000000000000001", name: "Shop")
        new.path = "/srv/shop"
        #expect(try await store.createProject(new) == .created(id: new.spareID))
        let studio = try database.makeMachine()
        let id = WorkspaceID.make(machine: studio, path: "/srv/shop")
        #expect(try await store.deleteProject(id: new.spareID))
        #expect(try await store.createProject(new) == .created(id: new.spareID))
        try database.execute("UPDATE machines SET last_seen_at = now()")
        #expect(try await store.createProject(new) == .created(id: id))
        _ = try database.makeMachine("laptop")
        try database.execute("UPDATE machines SET last_seen_at = now()")
        #expect(try await store.createProject(new) == .exists(id: id))
        new.path = "/srv//shop/"
        #expect(try await store.createProject(new) == .exists(id: id))
        new.path = "/srv/other"
        #expect(try await store.createProject(new) == .ambiguous(machines: ["laptop", "studio"]))
        for name in ["laptop", "studio"] {
            new.machine = name
            new.spareID += name
            _ = try await store.createProject(new)
        }
        new.machine = nil
        #expect(try await store.createProject(new) == .ambiguous(machines: ["laptop", "studio"]))
        store.stop()
    }

    @Test func projectWithoutMachineIsMadeChangedDeletedAndMadeAgain() async throws {
        let database = try TestDatabase()
        let store = try open(database)
        var new = NewProject(spareID: "ws-0000000000000001", name: "Idea")
        new.description = "later"
        #expect(try await store.createProject(new) == .created(id: new.spareID))
        var change = ProjectChange()
        change.name = "Plan"
        change.description = .set(nil)
        #expect(try await store.changeProject(id: new.spareID, change))
        var project = try #require(try await store.project(id: new.spareID, now: now))
        #expect(project.name == "Plan" && project.description == nil && project.machine == nil && project.path == nil)
        #expect(try await store.deleteProject(id: new.spareID))
        #expect(try await store.changeProject(id: new.spareID, change) == false)
        #expect(try await store.createProject(new) == .created(id: new.spareID))
        project = try #require(try await store.project(id: new.spareID, now: now))
        #expect(project.name == "Idea" && project.description == "later")
        new.machine = "nowhere"
        #expect(try await store.createProject(new) == .unknownMachine)
        store.stop()
    }
}

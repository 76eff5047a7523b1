import DatabaseSamples
import EventModel
import Testing

@testable import Persistence

@Suite struct WorkspaceStoreTests {
    private let now = systemNow()

    private func makeReader() async throws -> (TestDatabase, PostgresStore, MachineID) {
        let database = try TestDatabase()
        let machine = try database.makeMachine()
        let harness = try WriterHarness(database.configuration)
        let outcomes = await harness.append([
            makeEvent(id: 1, machine: machine, session: "s1", hook: "UserPromptSubmit", at: now),
            makeEvent(id: 2, machine: machine, session: "s1", hook: "Stop", at: now),
            makeEvent(id: 3, machine: machine, session: "s1", hook: "UserPromptSubmit", at: now),
        ])
        #expect(outcomes.compactMap(\.seq) == [1, 2, 3])
        harness.stop()
        let store = PostgresStore(configuration: database.configuration, logger: quiet)
        try store.start()
        return (database, store, machine)
    }

    @Test func workspacesComeWithTheirEventsAndCanBeRenamedAndRemoved() async throws {
        let (database, store, machine) = try await makeReader()
        let home = try #require(try await store.workspaces().workspaces.first)
        #expect(home.id == WorkspaceID.make(machine: machine, path: home.path))
        #expect(try await store.workspace(id: home.id) == home)
        #expect(try await store.workspace(id: "ws-none") == nil)
        #expect(try await store.changeWorkspace(id: home.id, name: "new")?.name == "new")
        #expect(try await store.changeWorkspace(id: "ws-none", name: "new") == nil)
        #expect(try await store.removeWorkspace(id: home.id))
        #expect(try await !store.removeWorkspace(id: home.id))
        store.stop()
        withExtendedLifetime(database) {}
    }

    @Test func aWorkspaceKeepsWhetherSessionsAreOpenedInIt() async throws {
        let (database, store, machine) = try await makeReader()
        let home = try #require(try await store.workspaces().workspaces.first)
        #expect(try await store.workspacesToOpen(on: machine).isEmpty)
        let changed = try await store.changeWorkspace(id: home.id, name: nil, autoStart: true)
        #expect(changed?.autoStart == true)
        #expect(changed?.name == home.name)
        #expect(try await store.changeWorkspace(id: home.id, name: "new")?.autoStart == true)
        #expect(try await store.addWorkspace(machine: machine, path: home.path, name: nil)?.autoStart == true)
        #expect(try await store.workspacesToOpen(on: machine).map(\.id) == [home.id])
        #expect(try await store.removeWorkspace(id: home.id))
        #expect(try await store.workspacesToOpen(on: machine).isEmpty)
        #expect(try await store.addWorkspace(machine: machine, path: home.path, name: nil)?.autoStart == false)
        store.stop()
        withExtendedLifetime(database) {}
    }

    @Test func aRemovedWorkspaceComesBackWithItsNextEvent() async throws {
        let (database, store, machine) = try await makeReader()
        let home = try #require(try await store.workspaces().workspaces.first)
        #expect(try await store.removeWorkspace(id: home.id))
        #expect(try await store.workspaces() == WorkspacePage(workspaces: [], total: 0))
        #expect(try await store.changeWorkspace(id: home.id, name: "new") == nil)
        let harness = try WriterHarness(database.configuration)
        _ = await harness.append([makeEvent(id: 4, machine: machine, session: "s1", hook: "Stop", at: now)])
        harness.stop()
        #expect(try await store.workspaces().workspaces == [home])
        #expect(try await store.removeWorkspace(id: home.id))
        #expect(try await store.addWorkspace(machine: machine, path: home.path, name: "mine")?.id == home.id)
        #expect(try await store.workspaces().workspaces.map(\.name) == ["mine"])
        store.stop()
        withExtendedLifetime(database) {}
    }

    @Test func aProjectWithoutADirectoryIsNoWorkspace() async throws {
        let (database, store, machine) = try await makeReader()
        var project = NewProject(spareID: "ws-person", name: "by hand")
        project.machine = String(machine.rawValue)
        _ = try await store.createProject(project)
        #expect(try await store.workspaces().total == 1)
        #expect(try await store.workspace(id: "ws-person") == nil)
        store.stop()
        withExtendedLifetime(database) {}
    }

    @Test func anAddedWorkspaceIsThatOfItsEvents() async throws {
        let (database, store, machine) = try await makeReader()
        let home = try #require(try await store.workspaces().workspaces.first)
        let again = try await store.addWorkspace(machine: machine, path: home.path, name: "mine")
        #expect(again?.id == home.id)
        #expect(again?.name == "mine")
        let other = try #require(try await store.addWorkspace(machine: machine, path: "/srv/other", name: "other"))
        #expect(other.machineName == home.machineName)
        #expect(Set(try await store.workspaces().workspaces.map(\.id)) == [home.id, other.id])
        store.stop()
        withExtendedLifetime(database) {}
    }

    @Test func addingAgainKeepsTheNameThatAPersonGave() async throws {
        let (database, store, machine) = try await makeReader()
        let home = try #require(try await store.workspaces().workspaces.first)
        #expect(home.name == "project")
        let untouched = "SELECT count(*) FROM workspaces WHERE updated_at IS NULL"
        #expect(try database.integers(untouched) == [1])
        #expect(try await store.changeWorkspace(id: home.id, name: "mine") != nil)
        #expect(try database.integers(untouched) == [0])
        #expect(try await store.addWorkspace(machine: machine, path: home.path, name: nil)?.name == "mine")
        #expect(try await store.addWorkspace(machine: machine, path: "/srv/other", name: nil)?.name == "other")
        #expect(try database.integers(untouched) == [0])
        store.stop()
    }

    @Test func ofManyWorkspacesTheLatestAreListedAndAllAreCounted() async throws {
        let (database, store, machine) = try await makeReader()
        try database.execute(
            """
            INSERT INTO workspaces (id, machine_id, path, name, last_activity_at)
            SELECT 'w' || number, \(machine.rawValue), '/w/' || number, 'w', now() - interval '1 day'
            FROM generate_series(1, 500) AS number
            """
        )
        let page = try await store.workspaces()
        #expect(page.workspaces.count == 500 && page.total == 501)
        #expect(page.workspaces.first?.path == "/home/dev/project")
        store.stop()
    }

    @Test func countsAndOffsetsFollowTheFilter() async throws {
        let (database, store, _) = try await makeReader()
        var query = EventQuery(limit: 1)
        query.sessionID = "s1"
        query.types = [.prompt]
        #expect(try await store.eventCount(query) == 2)
        query.offset = 1
        #expect(try await store.events(query).events.map(\.seq) == [3])
        query.isDescending = true
        #expect(try await store.events(query).events.map(\.seq) == [1])
        let home = try #require(try await store.workspaces().workspaces.first)
        var byWorkspace = EventQuery(limit: 10)
        byWorkspace.workspaceIDs = [home.id, "ws-none"]
        #expect(try await store.events(byWorkspace).events.count == 3)
        byWorkspace.workspaceIDs = ["ws-none"]
        #expect(try await store.events(byWorkspace).events.isEmpty)
        store.stop()
        withExtendedLifetime(database) {}
    }

    @Test func aDeletedSessionIsGoneAndItsEventsAreNot() async throws {
        let (database, store, _) = try await makeReader()
        #expect(try await store.deleteSession(id: "s1"))
        #expect(try await store.session(id: "s1") == nil)
        #expect(try await !store.deleteSession(id: "s1"))
        #expect(try await store.events(EventQuery(limit: 10)).events.count == 3)
        store.stop()
        withExtendedLifetime(database) {}
    }
}

import EventModel
import Testing

@testable import Persistence

@Suite struct WorkspaceReaderTests {
    private let now = systemNow()

    private func makeReader() async throws -> (TestDatabase, EventReader, MachineID) {
        let database = try TestDatabase()
        let machine = try database.makeMachine()
        let harness = try WriterHarness(database.configuration)
        let outcomes = await harness.append([
            makeEvent(id: 1, machine: machine, session: "s1", hook: "UserPromptSubmit", at: now),
            makeEvent(id: 2, machine: machine, session: "s1", hook: "Stop", at: now),
            makeEvent(id: 3, machine: machine, session: "s1", hook: "UserPromptSubmit", at: now),
        ])
        #expect(outcomes.compactMap(\.seq) == [1, 2, 3])
        harness.writer.stop()
        let reader = EventReader(configuration: database.configuration, logger: quiet)
        try reader.start()
        return (database, reader, machine)
    }

    @Test func workspacesComeWithTheirEventsAndCanBeRenamedAndRemoved() async throws {
        let (database, reader, machine) = try await makeReader()
        let home = try #require(try await reader.workspaces().first)
        #expect(home.id == WorkspaceID.make(machine: machine, path: home.path))
        #expect(try await reader.workspaces(id: home.id) == [home])
        #expect(try await reader.workspaces(id: "ws-none").isEmpty)
        #expect(try await reader.renameWorkspace(id: home.id, name: "new")?.name == "new")
        #expect(try await reader.renameWorkspace(id: "ws-none", name: "new") == nil)
        #expect(try await reader.removeWorkspace(id: home.id))
        #expect(try await !reader.removeWorkspace(id: home.id))
        reader.stop()
        withExtendedLifetime(database) {}
    }

    @Test func aRemovedWorkspaceComesBackWithItsNextEvent() async throws {
        let (database, reader, machine) = try await makeReader()
        let home = try #require(try await reader.workspaces().first)
        #expect(try await reader.removeWorkspace(id: home.id))
        #expect(try await reader.workspaces().isEmpty)
        #expect(try await reader.renameWorkspace(id: home.id, name: "new") == nil)
        let harness = try WriterHarness(database.configuration)
        _ = await harness.append([makeEvent(id: 4, machine: machine, session: "s1", hook: "Stop", at: now)])
        harness.writer.stop()
        #expect(try await reader.workspaces() == [home])
        #expect(try await reader.removeWorkspace(id: home.id))
        #expect(try await reader.addWorkspace(machine: machine, path: home.path, name: "mine")?.id == home.id)
        #expect(try await reader.workspaces().map(\.name) == ["mine"])
        reader.stop()
        withExtendedLifetime(database) {}
    }

    @Test func aProjectWithoutADirectoryIsNoWorkspace() async throws {
        let (database, reader, machine) = try await makeReader()
        var project = NewProject(spareID: "ws-person", name: "by hand")
        project.machine = String(machine.rawValue)
        _ = try await reader.createProject(project)
        #expect(try await reader.workspaces().count == 1)
        #expect(try await reader.workspaces(id: "ws-person").isEmpty)
        reader.stop()
        withExtendedLifetime(database) {}
    }

    @Test func anAddedWorkspaceIsThatOfItsEvents() async throws {
        let (database, reader, machine) = try await makeReader()
        let home = try #require(try await reader.workspaces().first)
        let again = try await reader.addWorkspace(machine: machine, path: home.path, name: "mine")
        #expect(again?.id == home.id)
        #expect(again?.name == "mine")
        let other = try #require(try await reader.addWorkspace(machine: machine, path: "/srv/other", name: "other"))
        #expect(other.machineName == home.machineName)
        #expect(Set(try await reader.workspaces().map(\.id)) == [home.id, other.id])
        reader.stop()
        withExtendedLifetime(database) {}
    }

    @Test func countsAndOffsetsFollowTheFilter() async throws {
        let (database, reader, _) = try await makeReader()
        var query = EventQuery(limit: 1)
        query.sessionID = "s1"
        query.types = [.prompt]
        #expect(try await reader.eventCount(query) == 2)
        query.offset = 1
        #expect(try await reader.events(query).events.map(\.seq) == [3])
        query.isDescending = true
        #expect(try await reader.events(query).events.map(\.seq) == [1])
        let home = try #require(try await reader.workspaces().first)
        var byWorkspace = EventQuery(limit: 10)
        byWorkspace.workspaceIDs = [home.id, "ws-none"]
        #expect(try await reader.events(byWorkspace).events.count == 3)
        byWorkspace.workspaceIDs = ["ws-none"]
        #expect(try await reader.events(byWorkspace).events.isEmpty)
        reader.stop()
        withExtendedLifetime(database) {}
    }

    @Test func aDeletedSessionIsGoneAndItsEventsAreNot() async throws {
        let (database, reader, _) = try await makeReader()
        #expect(try await reader.deleteSession(id: "s1"))
        #expect(try await reader.session(id: "s1") == nil)
        #expect(try await !reader.deleteSession(id: "s1"))
        #expect(try await reader.events(EventQuery(limit: 10)).events.count == 3)
        reader.stop()
        withExtendedLifetime(database) {}
    }
}

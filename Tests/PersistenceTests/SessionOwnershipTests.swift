import DatabaseSamples
import EventModel
import Testing

@testable import Persistence

@Suite struct SessionOwnershipTests {
    private let owner = MachineID(rawValue: 1)
    private let other = MachineID(rawValue: 7)

    private func event(_ id: UInt64, _ session: String?, on machine: MachineID) -> MonitorEvent {
        makeEvent(id: id, machine: machine, session: session, project: nil)
    }

    private func sessions(_ events: [MonitorEvent], owners: [String: MachineID] = [:]) -> [String?]? {
        SessionOwnership.separate(events[...]) { owners[$0] }?.events.map(\.sessionID)
    }

    @Test func whoBeganASessionGoesOnInIt() {
        let events = [event(1, "a", on: owner), event(2, "a", on: owner), event(3, nil, on: other)]
        #expect(sessions(events, owners: ["a": owner]) == nil)
        #expect(sessions(events) == nil)
        #expect(sessions([]) == nil)
    }

    @Test func anotherMachineGetsASessionOfItsOwn() {
        let events = [event(1, "a", on: other), event(2, "a", on: owner), event(3, "b", on: other)]
        #expect(sessions(events, owners: ["a": owner]) == ["a@7", "a", "b"])
    }

    @Test func ofOneBatchTheFirstBeginsTheSession() {
        let events = [event(1, "a", on: owner), event(2, "a", on: other), event(3, "a", on: owner)]
        #expect(sessions(events) == ["a", "a@7", "a"])
    }

    @Test func anIdThatSomebodyElseTookIsNotGivenAgain() throws {
        let owners = ["a": owner, "a@7": owner]
        let first = try #require(SessionOwnership.separate([event(1, "a", on: other)][...]) { owners[$0] })
        #expect(first.given == ["a@7"])
        let second = try #require(SessionOwnership.separate(first.events) { owners[$0] })
        #expect(second.events.map(\.sessionID) == ["a@7@7"])
        #expect(SessionOwnership.separate(second.events) { owners[$0] } == nil)
    }

    @Test func theWriterKeepsSessionsApartAcrossRestarts() async throws {
        let database = try TestDatabase()
        let (studio, laptop) = (try database.makeMachine("studio"), try database.makeMachine("laptop"))
        let first = try WriterHarness(database.configuration)
        _ = await first.append([event(1, "a", on: studio), event(2, "a", on: laptop)])
        first.stop()
        let second = try WriterHarness(database.configuration)
        _ = await second.append([event(3, "a", on: laptop)])
        _ = await second.append([event(4, "a", on: studio), event(2, "a", on: laptop)])
        let own = "a@\(laptop.rawValue)"
        #expect(second.committed.map(\.event.sessionID) == [own, "a"])
        second.stop()
        #expect(try database.texts("SELECT session_id FROM events ORDER BY seq") == ["a", own, own, "a"])
        #expect(try database.texts("SELECT id FROM sessions ORDER BY id") == ["a", own])
        #expect(try database.integers("SELECT tool_call_count FROM sessions ORDER BY id") == [2, 2])
        #expect(
            try database.integers("SELECT machine_id FROM sessions ORDER BY id") == [studio.rawValue, laptop.rawValue]
        )
    }

    @Test func aMachineFindsTheSessionThatItsEventsAreIn() async throws {
        let database = try TestDatabase()
        let (studio, laptop) = (try database.makeMachine("studio"), try database.makeMachine("laptop"))
        let own = "a@\(laptop.rawValue)"
        let harness = try WriterHarness(database.configuration)
        defer { harness.stop() }
        let reader = try harness.makeReader(database.configuration)
        func ids() async throws -> [String] {
            [try await reader.ownSessionID(of: "a", on: studio), try await reader.ownSessionID(of: "a", on: laptop)]
        }
        #expect(try await ids() == ["a", "a"], "no machine has begun the session")
        _ = await harness.append([event(1, "a", on: studio)])
        #expect(try await ids() == ["a", own], "before the first event of the other machine")
        _ = await harness.append([event(2, own, on: studio)])
        #expect(try await ids() == ["a", "\(own)@\(laptop.rawValue)"], "another session has the derived id")
        _ = await harness.append([event(3, "a", on: laptop)])
        #expect(try await ids().last == harness.committed.last?.event.sessionID)
    }

    @Test func theIdOfASeparateSessionHasThatOfClaudeCode() {
        #expect(SessionOwnership.claudeID("a@7", on: other) == "a")
        #expect(SessionOwnership.claudeID("a@7", on: owner) == "a@7")
    }
}

import DatabaseSamples
import EventModel
import Sessions
import Testing

@testable import Persistence

@Suite struct BatchPlanTests {
    private let snapshot = LogSnapshot(epoch: "e", lastSeq: 10)

    @Test func freshEventsAreNumberedDenselyAroundDuplicates() {
        var snapshot = snapshot
        let events = [1, 2, 1, 3, 4].map { makeEvent(id: $0) }
        snapshot.known = [events[1].id: 7]
        let plan = BatchPlan(events: events[...], snapshot: snapshot, owners: SessionOwners())
        #expect(
            plan.placements == [
                .fresh(seq: 11), .duplicate(seq: 7), .duplicate(seq: 11), .fresh(seq: 12), .fresh(seq: 13),
            ]
        )
        #expect(plan.fresh.map(\.seq) == [11, 12, 13])
        #expect(plan.lastSeq == 13)
        #expect(plan.committed.epoch == "e")
    }

    @Test func onlyNewAndChangedSessionsAreWritten() {
        let (machine, start) = (MachineID(rawValue: 1), systemNow())
        var owners = SessionOwners()
        let path = SessionOwner.Path(text: "/p", order: EventOrder(time: start, id: EventID(high: 0, low: 1)))
        owners.remember("a", SessionOwner(machine: machine, path: path))
        owners.remember("c", SessionOwner(machine: machine, path: path))
        let events = [
            makeEvent(id: 2, session: "a", at: start.adding(seconds: 1), project: "/p"),
            makeEvent(id: 3, session: "b", at: start, project: nil),
            makeEvent(id: 4, session: "c", at: start.adding(seconds: -1), project: "/q"),
        ]
        let plan = BatchPlan(events: events[...], snapshot: snapshot, owners: owners)
        #expect(plan.sessions.map(\.id) == ["a", "b", "c"])
        #expect(plan.sessions.map(\.isChanged) == [false, true, true])
        #expect(plan.sessions.map(\.isNew) == [false, true, false])
        #expect(plan.sessions.map(\.owner.path?.text) == ["/p", nil, "/q"])
        #expect(plan.sessions.allSatisfy { $0.owner.machine == machine })
    }

    @Test func ofEqualTimesTheIdDecidesAndAClockFarAheadCountsByReceipt() {
        let start = systemNow()
        var ahead = makeEvent(id: 1, session: "a", at: start, project: "/ahead")
        ahead.timestamp = start.adding(seconds: 3600)
        let events = [
            makeEvent(id: 3, session: "a", at: start.adding(seconds: 1), project: "/three"), ahead,
            makeEvent(id: 0, session: "a", at: start, project: "/zero"),
            makeEvent(id: 2, session: "a", at: start, project: "/two"),
        ]
        let plan = BatchPlan(events: events[...], snapshot: snapshot, owners: SessionOwners())
        let machine = MachineID(rawValue: 1)
        let expected = ["/three", "/ahead", "/zero", "/zero"].map { WorkspaceID.make(machine: machine, path: $0) }
        #expect(plan.fresh.map(\.workspaceID) == expected)
    }

    @Test func eventOutsideAnySessionStillHasItsWorkspace() {
        let machine = MachineID(rawValue: 4)
        let events = [
            makeEvent(id: 1, machine: machine, session: nil, project: "/p"),
            makeEvent(id: 2, machine: machine, session: nil, project: nil),
        ]
        let plan = BatchPlan(events: events[...], snapshot: snapshot, owners: SessionOwners())
        #expect(plan.fresh.map(\.workspaceID) == [WorkspaceID.make(machine: machine, path: "/p"), nil])
        #expect(plan.sessions.isEmpty)
    }

    @Test func workspaceFollowsTheProjectThatWasNamedFirst() {
        let machine = MachineID(rawValue: 4)
        let start = systemNow()
        let events = [
            makeEvent(id: 1, machine: machine, session: "a", at: start, project: nil),
            makeEvent(id: 2, machine: machine, session: "a", at: start.adding(seconds: 1), project: "/p"),
            makeEvent(id: 3, machine: machine, session: "a", at: start.adding(seconds: 2), project: "/later"),
            makeEvent(id: 4, machine: machine, session: "a", at: start.adding(seconds: -1), project: "/earlier"),
        ]
        let plan = BatchPlan(events: events[...], snapshot: snapshot, owners: SessionOwners())
        let expected = ["/p", "/p", "/earlier"].map { WorkspaceID.make(machine: machine, path: $0) }
        #expect(plan.fresh.map(\.workspaceID) == [nil] + expected)
        #expect(plan.sessions[0].owner.workspaceID == expected[2])
    }

    @Test func planIsInTheLogOnlyWithAllItsPlaces() throws {
        let events = [makeEvent(id: 1), makeEvent(id: 2)]
        let plan = BatchPlan(events: events[...], snapshot: snapshot, owners: SessionOwners())
        #expect(plan.found(at: [11, 12])?.fresh == plan.fresh)
        let moved = try #require(plan.found(at: [21, 22]))
        #expect(moved.fresh.map(\.seq) == [21, 22] && moved.fresh.map(\.event) == plan.fresh.map(\.event))
        #expect(moved.placements == [.fresh(seq: 21), .fresh(seq: 22)])
        for seqs in [[], [11], [11, 13], [12, 11]] as [[Int64]] { #expect(plan.found(at: seqs) == nil) }
    }

    @Test func aMovedPlanKeepsTheDuplicatesOfEarlierCommits() {
        var snapshot = snapshot
        let events = [1, 2, 1, 3].map { makeEvent(id: $0) }
        snapshot.known = [events[1].id: 7]
        let plan = BatchPlan(events: events[...], snapshot: snapshot, owners: SessionOwners()).moved(to: 31)
        #expect(
            plan.placements == [.fresh(seq: 31), .duplicate(seq: 7), .duplicate(seq: 31), .fresh(seq: 32)]
        )
        #expect(plan.fresh.map(\.seq) == [31, 32] && plan.lastSeq == 32)
    }
}

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
        let plan = BatchPlan(events: events[...], snapshot: snapshot, sessions: SessionMemory())
        #expect(
            plan.placements == [
                .fresh(seq: 11), .duplicate(seq: 7), .duplicate(seq: 11), .fresh(seq: 12), .fresh(seq: 13),
            ]
        )
        #expect(plan.fresh.map(\.seq) == [11, 12, 13])
        #expect(plan.lastSeq == 13)
        #expect(plan.committed.epoch == "e")
    }

    @Test func sessionsGoOnFromTheirStoredFolds() {
        var stored = SessionState(id: "a")
        stored.apply(CommittedEvent(seq: 5, event: makeEvent(id: 1, session: "a"), workspaceID: nil))
        var sessions = SessionMemory()
        sessions.remember("a", stored: stored)
        let events = [makeEvent(id: 2, session: "a"), makeEvent(id: 3, session: "b"), makeEvent(id: 4, session: "a")]
        let plan = BatchPlan(events: events[...], snapshot: snapshot, sessions: sessions)
        #expect(plan.folds.map(\.fold.id) == ["a", "b"])
        #expect(plan.folds.map { $0.fold.session?.toolCallCount } == [3, 1])
        #expect(plan.folds.map { $0.fold.session?.lastSeq } == [13, 12])
        #expect(plan.folds.map(\.firstSeq) == [11, 12])
    }

    @Test func duplicatesAreNotFoldedAgain() {
        let event = makeEvent(id: 1, session: "a")
        let plan = BatchPlan(events: [event, event][...], snapshot: snapshot, sessions: SessionMemory())
        #expect(plan.folds.map { $0.fold.session?.toolCallCount } == [1])
    }

    @Test func eventOutsideAnySessionStillHasItsWorkspace() {
        let machine = MachineID(rawValue: 4)
        let events = [
            makeEvent(id: 1, machine: machine, session: nil, project: "/p"),
            makeEvent(id: 2, machine: machine, session: nil, project: nil),
        ]
        let plan = BatchPlan(events: events[...], snapshot: snapshot, sessions: SessionMemory())
        #expect(plan.fresh.map(\.workspaceID) == [WorkspaceID.make(machine: machine, path: "/p"), nil])
        #expect(plan.folds.isEmpty)
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
        let plan = BatchPlan(events: events[...], snapshot: snapshot, sessions: SessionMemory())
        let expected = ["/p", "/p", "/earlier"].map { WorkspaceID.make(machine: machine, path: $0) }
        #expect(plan.fresh.map(\.workspaceID) == [nil] + expected)
        #expect(plan.folds[0].workspace?.id == plan.folds[0].fold.workspaceID)
    }

    @Test func planIsInTheLogOnlyWithAllItsPlaces() {
        let events = [makeEvent(id: 1), makeEvent(id: 2)]
        let plan = BatchPlan(events: events[...], snapshot: snapshot, sessions: SessionMemory())
        #expect(plan.isContained(in: [events[0].id: 11, events[1].id: 12]))
        #expect(!plan.isContained(in: [:]))
        #expect(!plan.isContained(in: [events[0].id: 11]))
        // Another node was faster with the same events.
        #expect(!plan.isContained(in: [events[0].id: 12, events[1].id: 13]))
    }
}

import EventModel
import Testing

@testable import Persistence

@Suite struct BatchPlanTests {
    private let snapshot = LogSnapshot(epoch: "e", lastSeq: 10)

    @Test func freshEventsAreNumberedDenselyAroundDuplicates() {
        var snapshot = snapshot
        let events = [1, 2, 1, 3, 4].map { makeEvent(id: $0) }
        snapshot.known = [events[1].id: 7]
        let plan = BatchPlan(events: events[...], snapshot: snapshot)
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
        var stored = SessionFold(id: "a")
        stored.apply(makeEvent(id: 1, session: "a"), seq: 5)
        var snapshot = snapshot
        snapshot.folds = ["a": stored.stored()]
        let events = [makeEvent(id: 2, session: "a"), makeEvent(id: 3, session: "b"), makeEvent(id: 4, session: "a")]
        let plan = BatchPlan(events: events[...], snapshot: snapshot)
        #expect(plan.folds.map(\.id) == ["a", "b"])
        #expect(plan.folds.map { $0.session?.toolCallCount } == [3, 1])
        #expect(plan.folds.map { $0.session?.lastSeq } == [13, 12])
    }

    @Test func duplicatesAreNotFoldedAgain() {
        let event = makeEvent(id: 1, session: "a")
        let plan = BatchPlan(events: [event, event][...], snapshot: snapshot)
        #expect(plan.folds.map { $0.session?.toolCallCount } == [1])
    }

    @Test func unreadableFoldBeginsAnew() {
        var snapshot = snapshot
        snapshot.folds = ["a": Array("not json".utf8)]
        let plan = BatchPlan(events: [makeEvent(id: 1, session: "a")][...], snapshot: snapshot)
        #expect(plan.folds.map { $0.session?.toolCallCount } == [1])
    }

    @Test func eventOutsideAnySessionStillHasItsWorkspace() {
        let machine = MachineID(rawValue: 4)
        let events = [
            makeEvent(id: 1, machine: machine, session: nil, project: "/p"),
            makeEvent(id: 2, machine: machine, session: nil, project: nil),
        ]
        let plan = BatchPlan(events: events[...], snapshot: snapshot)
        #expect(plan.fresh.map(\.workspaceID) == [WorkspaceID.make(machine: machine, path: "/p"), nil])
        #expect(plan.folds.isEmpty)
    }

    @Test func planIsInTheLogOnlyWithAllItsPlaces() {
        let events = [makeEvent(id: 1), makeEvent(id: 2)]
        let plan = BatchPlan(events: events[...], snapshot: snapshot)
        #expect(plan.isContained(in: [events[0].id: 11, events[1].id: 12]))
        #expect(!plan.isContained(in: [:]))
        #expect(!plan.isContained(in: [events[0].id: 11]))
        // Another node was faster with the same events.
        #expect(!plan.isContained(in: [events[0].id: 12, events[1].id: 13]))
    }
}

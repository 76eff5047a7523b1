import DatabaseSamples
import EventModel
import Testing

@testable import Persistence

@Suite struct TouchesTests {
    private let time = Timestamp(microseconds: 1_700_000_000_000_000)

    private func plan(at time: Timestamp, machineName: String = "studio") -> BatchPlan {
        let event = makeEvent(id: UInt64(time.microseconds), machineName: machineName, session: "a", at: time)
        return BatchPlan(
            events: [event][...],
            snapshot: LogSnapshot(epoch: "e", lastSeq: 0),
            owners: SessionOwners()
        )
    }

    @Test func firstSightIsDueAndTheNextOnlyAfterAMinute() {
        var tracker = LastSeenTracker()
        let first = tracker.due(for: plan(at: time))
        #expect(first.workspaces.map(\.name) == ["project"])
        #expect(first.machines == [MachineLastSeen(machine: MachineID(rawValue: 1), name: "studio", at: time)])
        tracker.wrote(first)
        let soon = tracker.due(for: plan(at: time.adding(seconds: 59)))
        #expect(soon.workspaces.isEmpty && soon.machines.isEmpty)
        let later = tracker.due(for: plan(at: time.adding(seconds: 60)))
        #expect(later.workspaces.count == 1 && later.machines.count == 1)
    }

    @Test func whatWasNotCommittedStaysDue() {
        let tracker = LastSeenTracker()
        #expect(tracker.due(for: plan(at: time)).machines.count == 1)
        #expect(tracker.due(for: plan(at: time)).machines.count == 1)
    }

    @Test func changedNameIsDueAtOnce() {
        var tracker = LastSeenTracker()
        tracker.wrote(tracker.due(for: plan(at: time)))
        let renamed = tracker.due(for: plan(at: time.adding(seconds: 1), machineName: "attic"))
        #expect(renamed.machines.map(\.name) == ["attic"])
        #expect(renamed.workspaces.isEmpty)
    }

    @Test(arguments: [("/a/b/", "b"), ("/", "/"), ("C:\\work\\app", "app"), ("plain", "plain")])
    func workspaceIsNamedAfterTheLastPartOfItsPath(path: String, name: String) {
        let touch = WorkspaceLastSeen(id: "ws", machine: MachineID(rawValue: 1), path: path, at: time)
        #expect(touch.name == name)
    }
}

import EventModel
import Testing
import WSFanout

@testable import CdevDialect
@testable import Persistence
@testable import Serving

@Suite struct PreparedBatchTests {
    /// One event in a session of its name for each, from `first` on.
    private func batch(_ names: [String], from first: Int64 = 1, epoch: String = "e") -> CommittedBatch {
        let time = Timestamp(microseconds: 1_767_607_200_000_000)
        let events = names.enumerated().map { index, name in
            let event = MonitorEvent(
                id: EventID(high: 0, low: UInt64(name.utf8.reduce(0) { $0 * 31 + Int($1) })),
                type: .tool,
                hookEventName: nil,
                timestamp: time,
                receivedAt: time,
                machine: MachineID(rawValue: 1),
                machineName: "studio",
                sessionID: name,
                projectPath: nil,
                toolName: nil,
                summary: "",
                payload: Array("{}".utf8),
                facts: SessionFacts()
            )
            return CommittedEvent(seq: first + Int64(index), event: event, workspaceID: nil)
        }
        return CommittedBatch(epoch: epoch, events: events)
    }

    static func encoded(_ seq: Int64) -> EncodedEvent {
        PreparedBatch().take(PreparedBatchTests().batch(["s\(seq)"], from: seq), encoding: false)[0]
    }

    /// A request for a permission, or the end of its turn, in session `s`.
    private func step(_ hook: String, _ seq: Int64) -> CommittedBatch {
        var made = batch(["s"], from: seq)
        made.events[0] = made.events[0].replacing {
            $0.id = EventID(high: 1, low: UInt64(seq))
            $0.hookEventName = HookEventName(hook)
        }
        return made
    }

    @Test("a batch that is prepared twice, or not at all, ends the same dialogs")
    func dialogs() {
        for times in 0...2 {
            let prepared = PreparedBatch()
            let told = [("PermissionRequest", 0), ("Stop", 1), ("Stop", 0)].enumerated().map { index, step in
                let batch = self.step(step.0, Int64(index + 1))
                for _ in 0..<times { prepared.prepare(batch, encoding: true) }
                let ended = prepared.take(batch, encoding: true).reduce(0) { $0 + $1.endedPermissions }
                return ended == step.1
            }
            #expect(told == [true, true, true], "\(times)")
        }
    }

    private func described(_ events: [EncodedEvent]) -> [String] {
        events.map { "\($0.epoch) \($0.seq) \($0.sessionID ?? "")" }
    }

    @Test(arguments: [false, true])
    func whatWasPreparedIsWhatIsTaken(encoding: Bool) {
        let prepared = PreparedBatch()
        prepared.prepare(batch(["a", "b"]), encoding: encoding)
        #expect(described(prepared.take(batch(["a", "b"]), encoding: encoding)) == ["e 1 a", "e 2 b"])
    }

    @Test func aBatchThatFailedIsNotTakenForTheNext() {
        for other in [
            batch(["c", "d"]), batch(["a"]), batch(["a", "b", "c"]), batch(["a", "b"], from: 7),
            batch(["a", "b"], epoch: "f"),
        ] {
            let prepared = PreparedBatch()
            prepared.prepare(batch(["a", "b"]), encoding: false)
            let fresh = PreparedBatch().take(other, encoding: false)
            #expect(described(prepared.take(other, encoding: false)) == described(fresh))
        }
    }

    @Test func aBatchIsTakenOnce() {
        let prepared = PreparedBatch()
        prepared.prepare(batch(["a"]), encoding: false)
        let first = prepared.take(batch(["a"]), encoding: false)
        #expect(first.first !== prepared.take(batch(["a"]), encoding: false).first)
    }
}

import DatabaseSamples
import EventModel
import Testing

@testable import Persistence

@Suite struct SessionOwnersTests {
    private let machine = MachineID(rawValue: 1)

    @Test func thatNobodyBeganASessionIsRememberedToo() {
        var owners = SessionOwners()
        #expect(owners.unknown(["a", "b"]) == ["a", "b"])
        owners.remember("a", nil)
        #expect(owners.unknown(["a", "b"]) == ["b"])
        #expect(owners["a"] == nil)
        owners.forgetAll()
        #expect(owners.unknown(["a"]) == ["a"])
    }

    @Test func thoseNotUsedForLongestAreForgottenAtTheBound() {
        var owners = SessionOwners()
        for batch in 0..<18 {
            let events = (0..<1000).map { index in
                makeEvent(id: UInt64(batch * 1000 + index), session: index == 0 ? "used" : "s\(batch)-\(index)")
            }
            let plan = BatchPlan(
                events: events[...],
                snapshot: LogSnapshot(epoch: "e", lastSeq: Int64(batch) * 1000),
                owners: owners
            )
            owners.committed(plan)
        }
        #expect(owners.count <= SessionOwners.capacity)
        #expect(owners["used"]?.machine == machine)
        #expect(owners["s0-1"] == nil && owners["s17-1"] != nil)
    }
}

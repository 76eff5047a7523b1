import EventModel
import FanoutSamples
import Testing

@testable import WSFanout

@Suite("Hub after an erasure")
struct HubErasureTests {
    let output = RecordingOutput()

    @Test("what was erased is sent neither from the ring nor from a page in progress")
    func nothingFromMemory() {
        let hub = makeHub(output)
        hub.subscribe(1)
        hub.publish((1...3).map { encoded($0) })
        hub.erased()
        hub.subscribe(2, after: 0)
        #expect(output.sent[2] == nil)
        guard let first = output.requests.last else {
            Issue.record("the store was not asked")
            return
        }
        hub.erased()
        hub.supply(first.ticket, events: [encoded(1), encoded(2), encoded(3)], isComplete: true)
        #expect(output.sent[2] == nil)
        #expect(output.requests.count == 2)
        hub.supply(output.requests[1].ticket, events: [encoded(3)], isComplete: true)
        #expect(output.seqs(2) == [3])
        hub.publish([encoded(4)])
        #expect(output.seqs(1) == [1, 2, 3, 4])
        #expect(output.seqs(2) == [3, 4])
    }
}

import EventModel
import FanoutSamples
import Testing

@testable import WSFanout

@Suite("places beyond the head")
struct PublishedPositionTests {
    @Test(
        "a client that has read an event before the hub publishes it waits for the next one",
        arguments: [true, false]
    )
    func placeBeyondTheHead(isPublishedAtOnce: Bool) {
        let output = RecordingOutput()
        let hub = makeHub(output, head: 5)
        hub.subscribe(1)
        var window = hub.window
        window.shown = 8
        #expect(!window.resolve(ResumePoint(epoch: epoch, seq: 9)).recovered)
        let resumed = window.resolve(ResumePoint(epoch: epoch, seq: 7))
        #expect(resumed.recovered && resumed.position.seq == 7)
        hub.subscribe(2, transport: .jsonRPC, filter: .all, after: resumed.position)
        // The live subscriber gets from the store what has not been published yet.
        let request = output.requests.first
        #expect(request?.after == 5 && request?.through == 7)
        if isPublishedAtOnce { hub.publish([encoded(6), encoded(7), encoded(8)]) }
        if let request { hub.supply(request.ticket, events: [encoded(6), encoded(7)], isComplete: true, through: nil) }
        if !isPublishedAtOnce { hub.publish([encoded(6), encoded(7), encoded(8)]) }
        hub.publish([encoded(9)])
        #expect(output.seqs(1) == [6, 7, 8, 9])
        #expect(output.seqs(2) == [8, 9])
    }
}

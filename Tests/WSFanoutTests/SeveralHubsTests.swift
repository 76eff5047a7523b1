import EventModel
import FanoutSamples
import Testing

@testable import WSFanout

@Suite("several hubs")
struct SeveralHubsTests {
    private let place = PresencePlace(workspaceID: "ws-1", sessionID: "s1")

    @Test("clients of two hubs see each other come and go")
    func presence() throws {
        let shared = SharedPresence()
        let outputs = [RecordingOutput(), RecordingOutput()]
        let hubs = outputs.map { makeHub($0, presence: shared) }
        for (index, hub) in hubs.enumerated() {
            hub.attach(1, transport: .jsonRPC)
            hub.perform([.presence(.focus(place), of: "c\(index)")], for: 1)
        }
        let joined = try #require(outputs[1].told.first)
        #expect((joined.kind, joined.clientID, joined.others) == (.joined, "c1", ["c0"]))
        #expect(outputs[1].sent.isEmpty && outputs[0].told.isEmpty)
        hubs[0].heard(joined)
        #expect(outputs[0].sent[1]?.count == 1)
        #expect(hubs.map { $0.presence.viewers(of: "s1") } == [["c0", "c1"], ["c0", "c1"]])
        #expect(hubs.map { $0.viewers.count } == [1, 1])
        hubs[0].remove(1)
        let left = try #require(outputs[0].told.first)
        #expect((left.kind, left.clientID, left.others) == (.left, "c0", ["c1"]))
        hubs[1].heard(left)
        #expect(outputs[1].sent[1]?.count == 1)
    }

    @Test("who saw an event elsewhere waits here for the one after it", arguments: [true, false])
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
        // The one that was live is fed from the store with what was not published here.
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

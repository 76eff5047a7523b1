import EventModel
import FanoutSamples
import Testing

@testable import WSFanout

@Suite("Hub")
struct HubTests {
    let output = RecordingOutput()

    @Test("an event is encoded and concatenated once for 1,000 subscribers")
    func encodedOnce() {
        let hub = makeHub(output)
        for subscriber in 0..<1000 { hub.subscribe(subscriber) }
        hub.publish([encoded(1), encoded(2), encoded(3)])
        #expect(hub.metrics.batchesBuilt == 1)
        #expect(hub.metrics.deliveredEvents == 3000)
        let buffers = Set((0..<1000).compactMap { output.sent[$0]?.first?.withUnsafeBytes { $0.baseAddress } })
        #expect(buffers.count == 1)
        for subscriber in 0..<1000 { #expect(output.seqs(subscriber) == [1, 2, 3]) }
    }

    @Test("a single event goes out in the buffer it was encoded into")
    func singleEventIsNotCopied() {
        let hub = makeHub(output)
        let event = encoded(1)
        hub.subscribe(1)
        hub.publish([event])
        let original = event.frame.withUnsafeBytes { $0.baseAddress }
        #expect(output.sent[1]?.first?.withUnsafeBytes { $0.baseAddress } == original)
    }

    @Test("a publish leaves in batches of whole frames within the bound, one larger frame alone")
    func batches() {
        let hub = makeHub(output) { $0.batchBytes = 4096 }
        hub.subscribe(1)
        hub.publish((1...20).map { encoded($0, payloadBytes: $0 == 10 ? 9000 : 900) })
        #expect(output.seqs(1) == Array(1...20))
        let sizes = (output.sent[1] ?? []).map(\.count)
        #expect(sizes.filter { $0 > 4096 }.count == 1)
        #expect(sizes.count < 10)
    }

    @Test("subscribers with equal filters share a concatenation, others get their own")
    func filters() {
        let hub = makeHub(output)
        hub.subscribe(1, .jsonRPC, EventFilter(sessionID: "a"))
        hub.subscribe(2, .jsonRPC, EventFilter(sessionID: "a"))
        hub.subscribe(3, .plainWebSocket, EventFilter(types: [.prompt]))
        hub.subscribe(4, .serverSentEvents, EventFilter(workspaceID: "elsewhere"))
        hub.publish([encoded(1, session: "a"), encoded(2, type: .prompt, session: "b"), encoded(3, session: "a")])
        #expect(output.seqs(1) == [1, 3])
        #expect(output.sent[1] == output.sent[2])
        #expect(output.seqs(3, .plainWebSocket) == [2])
        #expect(output.sent[4] == nil)
        #expect(hub.metrics.batchesBuilt == 2)
    }

    @Test("a socket that takes no more gets nothing until it has drained, then all from the ring")
    func slowAndDrained() {
        let hub = makeHub(output)
        hub.subscribe(1)
        output.results[1] = .waiting(bytes: 10)
        hub.publish([encoded(1)])
        hub.publish([encoded(2), encoded(3)])
        #expect(output.seqs(1) == [1])
        #expect(hub.liveCount == 0)
        output.results[1] = .sent
        hub.drained(1)
        #expect(output.seqs(1) == [1, 2, 3])
        #expect(hub.liveCount == 1)
        #expect(hub.metrics.replayedFromRing == 2)
        #expect(output.requests.isEmpty)
    }

    @Test("a publish of several batches stops at the batch that has to wait and goes on after it")
    func stopsInsideBatch() {
        let hub = makeHub(output) { $0.batchBytes = 1500 }
        hub.subscribe(1)
        output.results[1] = .waiting(bytes: 10)
        hub.publish((1...6).map { encoded($0, payloadBytes: 700) })
        #expect(output.seqs(1) == [1])
        output.results[1] = .sent
        hub.drained(1)
        #expect(output.seqs(1) == Array(1...6))
    }

    @Test("a cursor older than the ring is fed from the store, asked once for all who stand there")
    func sharedPages() throws {
        let hub = makeHub(output, head: 100)
        for subscriber in 1...50 { hub.subscribe(subscriber, after: 40) }
        #expect(output.requests.count == 1)
        let request = try #require(output.requests.first)
        #expect(request.after == 40 && request.through == 100 && request.filter == .all)
        hub.publish([encoded(101)])
        #expect(output.sent.isEmpty)
        hub.supply(request.ticket, events: (41...100).map { encoded($0) }, isComplete: true)
        for subscriber in 1...50 { #expect(output.seqs(subscriber) == Array(41...101)) }
        #expect(hub.liveCount == 50)
        #expect(hub.metrics.pagesShared == 49)
        #expect(output.requests.count == 1)
    }

    @Test("a page that is cut is followed by the next; a late reader takes it from the cache")
    func pagesInSequence() {
        let hub = makeHub(output, head: 30)
        hub.subscribe(1, after: 10)
        hub.supply(output.requests[0].ticket, events: (11...20).map { encoded($0) }, isComplete: false)
        #expect(output.requests.count == 2)
        #expect(output.requests[1].after == 20)
        hub.supply(output.requests[1].ticket, events: (21...30).map { encoded($0) }, isComplete: true)
        hub.subscribe(2, after: 15)
        #expect(output.seqs(1) == Array(11...30))
        #expect(output.seqs(2) == Array(16...30))
        #expect(output.requests.count == 2)
    }

    @Test("a page that found nothing, but tells how far it looked, is followed by the next")
    func emptyPageGoesOn() {
        let hub = makeHub(output, head: 30)
        hub.subscribe(1, after: 10)
        hub.supply(output.requests[0].ticket, events: [], isComplete: false, through: 25)
        #expect(output.requests.map(\.after) == [10, 25])
        hub.supply(output.requests[1].ticket, events: [encoded(28)], isComplete: true)
        #expect(output.seqs(1) == [28])
        #expect(hub.liveCount == 1)
    }

    @Test("no more requests than the bound are under way; the others come in turn")
    func boundedRequests() {
        let hub = makeHub(output, head: 1000) { $0.concurrentPages = 2 }
        for subscriber in 1...5 { hub.subscribe(subscriber, after: Int64(subscriber) * 100) }
        #expect(output.requests.map(\.after) == [100, 200])
        for answered in 0..<6 {
            let request = output.requests[answered]
            hub.supply(request.ticket, events: [encoded(request.after + 1)], isComplete: false)
        }
        #expect(output.requests.map(\.after) == [100, 200, 300, 400, 500, 101, 201, 301])
        #expect(output.seqs(1) == [101, 102])
    }

    @Test("a store that is away is asked again after the next tick, and nobody loses the place")
    func storeAway() {
        let hub = makeHub(output, head: 3)
        hub.subscribe(1, after: 0)
        hub.pageFailed(output.requests[0].ticket)
        #expect(output.requests.count == 1)
        hub.tick(now: start.adding(seconds: 1), time: start.adding(seconds: 1), report: report)
        #expect(output.requests.count == 2)
        hub.supply(output.requests[1].ticket, events: (1...3).map { encoded($0) }, isComplete: true)
        #expect(output.seqs(1) == [1, 2, 3])
        #expect(hub.metrics.pagesFailed == 1)
    }

    @Test("events that were never published here are fetched before those that follow them")
    func missedBatch() {
        let hub = makeHub(output, head: 3)
        hub.subscribe(1)
        hub.publish([encoded(7)])
        #expect(output.seqs(1) == [])
        #expect(output.requests.map(\.after) == [3])
        hub.supply(output.requests[0].ticket, events: [encoded(4), encoded(6)], isComplete: true)
        #expect(output.seqs(1) == [4, 6, 7])
    }

    @Test("where the store says that the log ends further on, live subscribers get what is missing")
    func logReaches() {
        let hub = makeHub(output, head: 3)
        hub.subscribe(1)
        hub.logReaches(StreamPosition(epoch: hub.window.epoch, seq: 3))
        #expect(output.requests.isEmpty)
        hub.logReaches(StreamPosition(epoch: hub.window.epoch, seq: 4))
        #expect(hub.window.head == 4)
        hub.supply(output.requests[0].ticket, events: [encoded(4)], isComplete: true)
        hub.publish([encoded(4), encoded(5)])
        #expect(output.seqs(1) == [4, 5])
        hub.logReaches(StreamPosition(epoch: "another", seq: 9))
        #expect(output.closed == [1: .placeGone])
    }

    @Test("a socket that takes nothing for the stall time is closed with 4008, a reading one is not")
    func stalled() {
        let hub = makeHub(output) { $0.stallSeconds = 60 }
        hub.subscribe(1)
        hub.subscribe(2)
        output.results = [1: .waiting(bytes: 10), 2: .waiting(bytes: 10)]
        hub.publish([encoded(1)])
        hub.tick(now: start.adding(seconds: 59), time: start.adding(seconds: 59), report: report)
        hub.drained(2)
        #expect(output.closed.isEmpty)
        hub.tick(now: start.adding(seconds: 60), time: start.adding(seconds: 60), report: report)
        #expect(output.closed == [1: .tooSlow])
        #expect(hub.metrics.slowCloses == 1)
        #expect(hub.subscriberCount == 1)
    }

    @Test("replies that are not read end the connection at their bound")
    func unreadReplies() {
        let hub = makeHub(output)
        hub.attach(1, transport: .jsonRPC)
        output.results[1] = .waiting(bytes: HubLimits().unreadReplyBytes)
        hub.send([1, 2, 3], to: 1)
        #expect(output.closed.isEmpty)
        output.results[1] = .waiting(bytes: HubLimits().unreadReplyBytes + 1)
        hub.send([1, 2, 3], to: 1)
        #expect(output.closed == [1: .tooSlow])
        #expect(hub.subscriberCount == 0)
    }

    @Test("a cursor that retention overtakes is closed to resume, since a hole must be told")
    func trimmed() {
        let hub = makeHub(output, head: 100)
        hub.subscribe(1, after: 10)
        hub.trimmed(through: 20)
        hub.supply(output.requests[0].ticket, events: [encoded(50)], isComplete: true)
        #expect(output.closed == [1: .placeGone])
        #expect(hub.window.resolve(ResumePoint(epoch: nil, seq: 10)).recovered == false)
    }

    @Test("another epoch ends every subscription, and late pages of the old one are passed over")
    func newEpoch() {
        let hub = makeHub(output, head: 100)
        hub.subscribe(1)
        hub.subscribe(2, after: 10)
        hub.attach(3, transport: .jsonRPC)
        hub.publish([encoded(5, epoch: "e2")])
        hub.supply(output.requests[0].ticket, events: [encoded(11)], isComplete: true)
        #expect(output.closed == [1: .placeGone, 2: .placeGone])
        #expect(output.sent.isEmpty)
        #expect(hub.window == StreamWindow(epoch: "e2", oldest: 0, head: 5))
        #expect(hub.subscriberCount == 1)
    }

    @Test("a page of the old epoch that comes late is not shown in the new one")
    func latePage() {
        let hub = makeHub(output, head: 100)
        hub.subscribe(1, after: 10)
        hub.restart(StreamWindow(epoch: "e2", oldest: 0, head: 50))
        hub.supply(output.requests[0].ticket, events: [encoded(11), encoded(12)], isComplete: true)
        hub.subscribe(2, after: 10)
        #expect(output.sent.isEmpty)
        #expect(output.requests.map(\.through) == [100, 50])
    }

    @Test("after a start with the log's end clients resume from it and the store is not asked")
    func resumesFromTheEnd() {
        let hub = makeHub(output, head: 0)
        hub.restart(StreamWindow(epoch: epoch, oldest: 0, head: 12), holding: (5...12).map { encoded($0) })
        for subscriber in 0..<100 { hub.subscribe(subscriber, after: 4 + Int64(subscriber % 9)) }
        #expect(output.requests.isEmpty && hub.liveCount == 100)
        #expect(hub.metrics.batchesBuilt == 8)
        hub.publish([encoded(13)])
        for subscriber in 0..<100 {
            #expect(output.seqs(subscriber) == Array(5 + Int64(subscriber % 9)...13))
        }
        hub.subscribe(100, after: 3)
        #expect(output.requests.map(\.through) == [4])
    }

    @Test("a closed socket is forgotten, wherever it stood")
    func gone() {
        let hub = makeHub(output, head: 10)
        hub.subscribe(1)
        hub.subscribe(2, after: 0)
        output.results = [1: .gone, 2: .gone]
        hub.publish([encoded(11)])
        hub.supply(output.requests[0].ticket, events: (1...10).map { encoded($0) }, isComplete: true)
        #expect(hub.subscriberCount == 0)
        #expect(hub.liveCount == 0)
        #expect(hub.blocked.isEmpty)
    }

    @Test("unsubscribed means no events, and a new subscription replaces the old one")
    func unsubscribe() {
        let hub = makeHub(output)
        hub.subscribe(1)
        hub.unsubscribe(1)
        hub.publish([encoded(1)])
        #expect(output.sent.isEmpty)
        hub.subscribe(1, .jsonRPC, EventFilter(sessionID: "a"), after: 0)
        hub.subscribe(1, .jsonRPC, EventFilter(sessionID: "s1"), after: 0)
        hub.publish([encoded(2)])
        #expect(output.seqs(1) == [1, 2])
        #expect(hub.liveCount == 1)
    }
}

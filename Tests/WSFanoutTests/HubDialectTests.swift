import EventModel
import FanoutSamples
import Testing

@testable import WSFanout

@Suite("A hub's events of which only the store has all")
struct HubDialectTests {
    let output = RecordingOutput()

    @Test("a dialect's event that only the store has whole is sent from there, in its place and once")
    func notWhole() throws {
        let hub = makeHub(output)
        hub.subscribe(1, .dialect)
        hub.subscribe(2, .dialect)
        hub.subscribe(3, .jsonRPC)
        hub.subscribe(4, .dialect, EventFilter(types: [.prompt]))
        hub.publish([encoded(1), encoded(2, isWhole: false), encoded(3, isWhole: false), encoded(4, type: .prompt)])
        #expect(output.seqs(3) == [1, 2, 3, 4])
        #expect(output.seqs(4, .dialect).last == 4)
        for seq in Int64(2)...3 {
            let request = try #require(output.requests.last)
            #expect(output.requests.count == Int(seq - 1))
            #expect((request.after, request.through) == (seq - 1, seq))
            #expect(request.isForDialect)
            hub.supply(request.ticket, events: [encoded(seq)], isComplete: true)
        }
        hub.publish([encoded(5)])
        for subscriber in 1...2 {
            // Each event is two notifications.
            #expect(output.seqs(subscriber, .dialect) == (1...5).flatMap { [$0, $0] })
        }
        #expect(output.requests.count == 2)
    }
}

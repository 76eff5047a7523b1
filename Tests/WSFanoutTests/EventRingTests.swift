import EventModel
import FanoutSamples
import Testing

@testable import WSFanout

@Suite("EventRing")
struct EventRingTests {
    @Test("keeps the newest events within its count")
    func count() throws {
        var ring = EventRing(at: 0, maxBytes: 1 << 20, maxEvents: 10)
        ring.append((1...25).map { encoded($0) })
        #expect(ring.start == 15 && ring.end == 25)
        #expect(try #require(ring.events(after: 20)).map(\.seq) == Array(21...25))
        #expect(try #require(ring.events(after: 15)).map(\.seq) == Array(16...25))
        #expect(ring.events(after: 14) == nil)
        #expect(try #require(ring.events(after: 25)).isEmpty)
    }

    @Test("is never larger than its bytes, not even for an event that is larger alone")
    func bytes() {
        var ring = EventRing(at: 0, maxBytes: 20_000, maxEvents: 10_000)
        for seq in Int64(1)...500 {
            ring.append([encoded(seq, payloadBytes: Int(seq * 37 % 3000))])
            #expect(ring.bytes <= 20_000)
            #expect(ring.bytes == ring.events.reduce(0) { $0 + $1.footprint })
        }
        ring.append([encoded(501, payloadBytes: 30_000)])
        #expect(ring.events.isEmpty && ring.bytes == 0)
        #expect(ring.start == 501 && ring.end == 501)
    }

    @Test("numbers the log skips are no hole")
    func sparse() throws {
        var ring = EventRing(at: 4, maxBytes: 1 << 20, maxEvents: 10)
        ring.append([encoded(7), encoded(9)])
        #expect(try #require(ring.events(after: 4)).map(\.seq) == [7, 9])
        #expect(try #require(ring.events(after: 8)).map(\.seq) == [9])
        #expect(ring.events(after: 3) == nil)
    }

    @Test("begins with the end of a log, as much as its bounds hold, and goes on behind it")
    func beginsWithTheEnd() throws {
        var ring = EventRing(at: 3, maxBytes: 1 << 20, maxEvents: 4)
        ring.restart(at: 12, holding: [encoded(5), encoded(6), encoded(9), encoded(10), encoded(11)])
        #expect(ring.start == 5 && ring.end == 12)
        #expect(try #require(ring.events(after: 5)).map(\.seq) == [6, 9, 10, 11])
        #expect(try #require(ring.events(after: 12)).isEmpty)
        #expect(ring.events(after: 4) == nil)
        ring.append([encoded(13)])
        #expect(try #require(ring.events(after: 9)).map(\.seq) == [10, 11, 13])
        ring.restart(at: 20, holding: [])
        #expect(ring.start == 20 && ring.end == 20 && ring.events(after: 19) == nil)
    }
}

import EventModel
import Testing

@testable import EventSpool

@Suite("EventCodec")
struct EventCodecTests {
    @Test("every field of an event comes back")
    func roundTrip() {
        var random = SplitMix(state: 7)
        for _ in 0..<2000 {
            let event = Samples.random(&random)
            #expect(EventCodec.decode(EventCodec.encode(event)[...]) == event)
        }
    }

    @Test("another version, missing and extra bytes are told")
    func malformed() {
        let bytes = EventCodec.encode(Samples.event(1))
        for length in 0..<bytes.count { #expect(EventCodec.decode(bytes[..<length]) == nil) }
        #expect(EventCodec.decode((bytes + [0])[...]) == nil)
        #expect(EventCodec.decode(([2] + bytes.dropFirst())[...]) == nil)
    }
}

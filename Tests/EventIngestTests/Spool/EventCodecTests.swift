import EventModel
import Testing

@testable import EventIngest

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
        #expect(EventCodec.decode(([3] + bytes.dropFirst())[...]) == nil)
    }

    @Test("a record of the first layout has no name that the machine gives itself")
    func firstLayout() {
        var event = Samples.event(1)
        event.reportedMachineName = nil
        #expect(EventCodec.decode(([1] + EventCodec.encode(event).dropFirst().dropLast())[...]) == event)
    }
}

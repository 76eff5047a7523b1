import Testing

@testable import Outbox

@Suite struct InFlightTests {
    @Test func anOutcomeStaysUntilItIsWritten() {
        var deliveries = InFlight<String, Bool>(limit: 2)
        deliveries.submit("a", as: 1)
        deliveries.submit("b", as: 2)
        #expect(deliveries.room == 0 && deliveries[1] == "a" && deliveries[3] == nil)
        deliveries.begin(1)
        #expect(deliveries.hasBegun(1) && !deliveries.hasBegun(2))
        deliveries.end(1, true)
        #expect(!deliveries.hasBegun(1) && deliveries.room == 0)
        deliveries.end(2, false)
        #expect(deliveries.ended.map(\.id) == [1, 2] && deliveries.ended.map(\.outcome) == [true, false])
        deliveries.written(1)
        #expect(deliveries.ended.map(\.id) == [2] && deliveries.room == 1 && deliveries[1] == nil)
        deliveries.written(1)
        #expect(deliveries.room == 2 && deliveries.ended.isEmpty)
    }
}

import EventModel
import Testing

@testable import PushPolicy

@Suite("Quiet hours")
struct QuietHoursTests {
    @Test("outside")
    func outside() {
        #expect(QuietHours(start: 60, end: 120).end(at: Timestamp(microseconds: 0), utcOffset: 0) == nil)
    }
}

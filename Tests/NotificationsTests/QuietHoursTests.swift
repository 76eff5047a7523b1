import EventModel
import Testing

@testable import Notifications

@Suite("Quiet hours")
struct QuietHoursTests {
    private static let night = QuietHours(start: 22 * 60, end: 7 * 60)

    private func time(_ text: String) -> Timestamp { Timestamp(rfc3339: text) ?? Timestamp(microseconds: 0) }

    @Test(
        "a night over midnight holds from its start to before its end, in the device's own time",
        arguments: [
            ("2026-01-05T21:59:59Z", 0, nil), ("2026-01-05T22:00:00Z", 0, "2026-01-06T07:00:00Z"),
            ("2026-01-06T00:00:00Z", 0, "2026-01-06T07:00:00Z"),
            ("2026-01-06T06:59:59.999Z", 0, "2026-01-06T07:00:00Z"),
            ("2026-01-06T07:00:00Z", 0, nil), ("2026-01-06T12:00:00Z", 0, nil),
            ("2026-01-05T20:59:00Z", 3600, nil), ("2026-01-05T21:00:00Z", 3600, "2026-01-06T06:00:00Z"),
            ("2026-01-06T02:59:00Z", -5 * 3600, nil), ("2026-01-06T03:00:00Z", -5 * 3600, "2026-01-06T12:00:00Z"),
            ("2026-01-05T16:31:00Z", 19_800, "2026-01-06T01:30:00Z"),
        ]
    )
    func night(now: String, offset: Int, end: String?) {
        #expect(QuietHoursTests.night.end(at: time(now), utcOffset: offset) == end.map(time))
    }

    /// Berlin goes from UTC+1 to UTC+2 at 01:00 UTC on 29 March 2026.
    @Test("when clocks change the hour by the wall counts, with the offset of the moment")
    func summerTime() {
        let hours = QuietHours(start: 3 * 60, end: 4 * 60)
        #expect(hours.end(at: time("2026-03-28T02:30:00Z"), utcOffset: 3600) == time("2026-03-28T03:00:00Z"))
        // 02:59 by the wall is followed by 03:00 of summer time.
        #expect(hours.end(at: time("2026-03-29T00:59:00Z"), utcOffset: 3600) == nil)
        #expect(hours.end(at: time("2026-03-29T01:00:00Z"), utcOffset: 7200) == time("2026-03-29T02:00:00Z"))
        #expect(QuietHoursTests.night.end(at: time("2026-03-29T05:00:00Z"), utcOffset: 7200) == nil)
        #expect(QuietHoursTests.night.end(at: time("2026-03-29T05:00:00Z"), utcOffset: 3600) != nil)
    }

    /// Back to UTC+1 at 01:00 UTC on 25 October 2026: the hour from 02:00 comes twice.
    @Test("an hour that comes twice is quiet twice")
    func winterTime() {
        let hours = QuietHours(start: 2 * 60, end: 3 * 60)
        #expect(hours.end(at: time("2026-10-25T00:30:00Z"), utcOffset: 7200) != nil)
        #expect(hours.end(at: time("2026-10-25T01:30:00Z"), utcOffset: 3600) != nil)
        #expect(hours.end(at: time("2026-10-25T02:00:00Z"), utcOffset: 3600) == nil)
    }

    @Test("days are those on which the quiet time begins; 2026-01-05 is a Monday")
    func days() {
        let friday = QuietHours(start: 22 * 60, end: 7 * 60, days: [4])
        #expect(friday.end(at: time("2026-01-09T23:00:00Z"), utcOffset: 0) != nil)
        #expect(friday.end(at: time("2026-01-10T06:00:00Z"), utcOffset: 0) != nil)
        #expect(friday.end(at: time("2026-01-10T23:00:00Z"), utcOffset: 0) == nil)
        #expect(friday.end(at: time("2026-01-09T06:00:00Z"), utcOffset: 0) == nil)
        // Saturday in Tokyo already.
        #expect(friday.end(at: time("2026-01-09T22:30:00Z"), utcOffset: 9 * 3600) == nil)
        let monday = QuietHours(start: 0, end: 12 * 60, days: [0])
        #expect(monday.end(at: time("2026-01-05T11:00:00Z"), utcOffset: 0) == time("2026-01-05T12:00:00Z"))
        #expect(monday.end(at: time("2026-01-06T11:00:00Z"), utcOffset: 0) == nil)
    }

    @Test("an end at the start is a whole day")
    func wholeDay() {
        let always = QuietHours(start: 600, end: 600)
        for hour in 0..<48 {
            #expect(always.end(at: start.adding(seconds: Double(hour) * 3600 + 7), utcOffset: 0) != nil)
        }
    }

    @Test("the end that is told is the first moment that is not quiet, for every minute and offset")
    func endIsTheEnd() {
        var random = SeededGenerator(state: 11)
        for _ in 0..<500 {
            let hours = QuietHours(
                start: Int.random(in: 0..<1440, using: &random),
                end: Int.random(in: 0..<1440, using: &random)
            )
            guard hours.start != hours.end else { continue }
            let now = start.adding(seconds: Double.random(in: 0..<604_800, using: &random))
            let offset = Int.random(in: -48...56, using: &random) * 900
            guard let end = hours.end(at: now, utcOffset: offset) else { continue }
            #expect(end > now)
            #expect(hours.end(at: end, utcOffset: offset) == nil)
            #expect(hours.end(at: Timestamp(microseconds: end.microseconds - 1), utcOffset: offset) == end)
        }
    }
}

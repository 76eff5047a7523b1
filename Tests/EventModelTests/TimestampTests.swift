import Testing

@testable import EventModel

@Suite("Timestamp")
struct TimestampTests {
    @Test(
        "RFC 3339 text round-trips with milliseconds",
        arguments: [
            ("2026-01-05T10:00:00.123Z", "2026-01-05T10:00:00.123Z"),
            ("2026-01-05T10:00:00Z", "2026-01-05T10:00:00.000Z"),
            ("2026-01-05 11:30:00.5+01:30", "2026-01-05T10:00:00.500Z"),
            ("2024-02-29T23:59:60Z", "2024-03-01T00:00:00.000Z"),
            ("1970-01-01T00:00:00.0009999Z", "1970-01-01T00:00:00.000Z"),
            ("9999-12-31T23:59:59.999999999Z", "9999-12-31T23:59:59.999Z"),
        ]
    )
    func roundTrip(text: String, expected: String) throws {
        #expect(try #require(Timestamp(rfc3339: text)).description == expected)
    }

    @Test(
        "what is not RFC 3339 is refused",
        arguments: [
            "", "2026-01-05", "2026-13-05T10:00:00Z", "2025-02-29T10:00:00Z", "2026-01-05T24:00:00Z", "1767607200",
            "2026-01-05T10:00:00", "2026-01-05T10:00:00.Z", "2026-01-05T10:00:00Zx", "1969-12-31T23:59:59Z",
            "２026-01-05T10:00:00Z",
        ]
    )
    func refused(text: String) {
        #expect(Timestamp(rfc3339: text) == nil)
    }

    @Test("every day of 1970 to 2200 has its own civil date")
    func civilDates() {
        for days in Int64(0)..<84_000 {
            let (year, month, day) = CivilDate.fromDays(days)
            #expect(CivilDate.days(year: year, month: month, day: day) == days)
        }
    }

    @Test("a sum beyond the first or last point in time is that point")
    func saturation() {
        let time = Timestamp(microseconds: 1_767_607_200_000_000)
        let (first, last) = (Timestamp(microseconds: .min), Timestamp(microseconds: .max))
        for seconds in [1e13, 1e300, .infinity] {
            #expect(time.adding(seconds: seconds) == last)
            #expect(time.adding(seconds: -seconds) == first)
        }
        #expect(last.adding(seconds: 1) == last)
        #expect(first.adding(seconds: -1) == first)
        #expect(time.adding(seconds: .nan) == time)
        #expect(time.adding(seconds: -1.5).microseconds == 1_767_607_198_500_000)
    }

    @Test("a point in time is after another however far apart they are")
    func distances() {
        let (first, last) = (Timestamp(microseconds: .min), Timestamp(microseconds: .max))
        #expect(first.seconds(since: last) < -1.8e13)
        #expect(last.seconds(since: first) > 1.8e13)
        #expect(last.seconds(since: last.adding(seconds: -2)) == 2)
    }

    @Test("the first and the last point in time have a text")
    func extremes() {
        #expect(Timestamp(microseconds: .min).description.hasSuffix("T19:59:05.224Z"))
        #expect(Timestamp(microseconds: .max).description == "294247-01-10T04:00:54.775Z")
        #expect(Timestamp(microseconds: -1).description == "1969-12-31T23:59:59.999Z")
    }
}

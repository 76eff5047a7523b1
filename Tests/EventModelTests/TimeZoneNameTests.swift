import EventModel
import Testing

@Suite struct TimeZoneNameTests {
    @Test(arguments: ["UTC", "Asia/Kathmandu", "America/Argentina/Buenos_Aires", "Etc/GMT+12", "Etc/GMT-14", "W-SU"])
    func namesOfZonesAreNames(text: String) {
        #expect(TimeZoneName(text)?.text == text)
    }

    @Test(arguments: [
        "", "/etc/passwd", "../x", "+05:45", "5", "Europe/Berlin ", "Europe/Bérlin", "a'b", "a;b", "a\u{0}b", "a.b",
        "posix", "posixrules", "posix/Europe/Berlin", "right/UTC", "localtime", "Factory",
        String(repeating: "x", count: 65),
    ])
    func whatCannotBeANameIsNone(text: String) {
        #expect(TimeZoneName(text) == nil)
    }

    @Test func aDayOfUTC() throws {
        let day = try #require(LocalDay(utc: .date("2026-03-01"), later: -1))
        #expect(day.date == "2026-02-28")
        #expect(day.start == Timestamp(rfc3339: "2026-02-28T00:00:00Z"))
        #expect(day.end == Timestamp(rfc3339: "2026-03-01T00:00:00Z"))
        #expect(day.number == 20_512)
        let moment = try #require(Timestamp(rfc3339: "2026-02-28T23:59:59.999Z"))
        #expect(LocalDay(utc: .containing(moment), later: 0) == day)
        #expect(LocalDay(utc: .date("2026-02-30"), later: 0) == nil)
    }

    @Test func aQuarterBeginsAtEveryFifteenthMinute() throws {
        let moment = try #require(Timestamp(rfc3339: "2026-02-28T23:59:59.999Z"))
        #expect(moment.quarter == Timestamp(rfc3339: "2026-02-28T23:45:00Z"))
        #expect(moment.quarter.quarter == moment.quarter)
        #expect(Timestamp(microseconds: -1).quarter == Timestamp(microseconds: -900_000_000))
    }
}

import Foundation
import Testing

@testable import monitorctl

struct MomentsTests {
    private let now = Date(timeIntervalSince1970: 1_767_607_200)

    @Test(arguments: [
        ("2026-01-05T09:59:55.250Z", "4s"), ("2026-01-05T09:48:00Z", "12m"), ("2026-01-05T07:00:00.1Z", "2h"),
        ("2025-12-27T10:00:00Z", "9d"), ("2026-01-05T10:00:09Z", "0s"), ("yesterday", "-"),
    ])
    func age(_ text: String, _ expected: String) {
        #expect(Moments.age(of: text, now: now) == expected)
    }

    @Test(arguments: [
        (0.04, "+0.0s"), (-3.26, "-3.3s"), (90, "+90s"), (-600, "-10m"), (7200, "+2h"), (-1_700_000_000, "-19676d"),
    ])
    func offset(_ seconds: Double, _ expected: String) {
        #expect(Moments.offset(seconds: seconds) == expected)
    }

    @Test func clockIsLocal() throws {
        let zone = try #require(TimeZone(secondsFromGMT: 5400))
        #expect(Moments.clock("2026-01-05T23:15:07.999Z", zone: zone) == "00:45:07")
        #expect(Moments.clock(nil) == "--:--:--")
    }
}

import Foundation
import Testing

@testable import monitorctl

struct ServerChecksTests {
    private let noon = Date(timeIntervalSince1970: 1_767_614_400)

    @Test(arguments: [(0.0, DoctorCheck.Status.ok), (1.9, .ok), (-1.5, .ok), (4, .warning), (-600, .warning)])
    func clock(_ ahead: Double, _ expected: DoctorCheck.Status) {
        let header = "Mon, 05 Jan 2026 12:00:00 GMT"
        #expect(ServerChecks.clock(dateHeader: header, now: noon.addingTimeInterval(ahead)).status == expected)
    }

    @Test func clockUnknown() {
        #expect(ServerChecks.clock(dateHeader: nil, now: noon).status == .warning)
        #expect(ServerChecks.clock(dateHeader: "noon", now: noon).status == .warning)
    }

    @Test func versions() {
        #expect(ServerChecks.version(Monitorctl.version).status == .ok)
        #expect(ServerChecks.version("99.0.0").status == .warning)
        #expect(ServerChecks.version(nil).status == .warning)
    }
}

import Foundation
import Testing

@testable import monitorctl

struct ServerChecksTests {
    private let noon = Date(timeIntervalSince1970: 1_767_614_400)

    @Test(arguments: [(0.0, DoctorCheck.Status.ok), (1.9, .ok), (-1.5, .ok), (4, .warning), (-600, .warning)])
    func clock(_ ahead: Double, _ expected: DoctorCheck.Status) {
        let server = Moments.parse("2026-01-05T12:00:00.000Z")
        #expect(ServerChecks.clock(server: server, now: noon.addingTimeInterval(ahead)).status == expected)
    }

    @Test func clockUnknown() {
        #expect(ServerChecks.clock(server: nil, now: noon).status == .warning)
    }

    @Test func versions() {
        #expect(ServerChecks.version(Monitorctl.version).status == .ok)
        #expect(ServerChecks.version("99.0.0").status == .warning)
        #expect(ServerChecks.version(nil).status == .warning)
    }
}

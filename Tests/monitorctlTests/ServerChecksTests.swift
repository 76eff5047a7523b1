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

    @Test(
        arguments: [
            ("http://192.0.2.1:8766", 1), ("http://monitor.example", 1), ("https://monitor.example", 0),
            ("http://127.0.0.1:8766", 0), ("http://[::1]:8766", 0), ("http://localhost:8766", 0),
        ]
    )
    func transport(_ address: String, _ warnings: Int) throws {
        let checks = ServerChecks.transport(to: try #require(URL(string: address)))
        #expect(checks.map(\.status) == Array(repeating: .warning, count: warnings))
    }

    @Test func versions() {
        #expect(ServerChecks.version(Monitorctl.version).status == .ok)
        #expect(ServerChecks.version("99.0.0").status == .warning)
        #expect(ServerChecks.version(nil).status == .warning)
    }
}

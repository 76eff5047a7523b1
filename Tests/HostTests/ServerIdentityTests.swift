import EventModel
import Foundation
import Testing

@testable import Host

@Suite final class ServerIdentityTests {
    private let now = Timestamp(microseconds: 1_800_000_000_000_000)
    private let directory: String

    init() throws {
        directory = NSTemporaryDirectory() + "identity." + UUID().uuidString
        try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
    }

    deinit {
        try? FileManager.default.removeItem(atPath: directory)
    }

    private func identity() -> ServerIdentity { ServerIdentity(directory: directory, now: now) }

    @Test func whoeverFollowsHasTheLineageAndAnotherName() {
        var first: ServerIdentity? = identity()
        let (lineage, process) = (first?.lineage, first?.process)
        first = nil
        let second = identity()
        #expect(second.lineage == lineage && second.process != process)
        #expect(second.process.hasPrefix(second.lineage))
    }

    @Test func whileOneLivesAnotherIsOfNoFamily() {
        let first = identity()
        let second = identity()
        #expect(second.lineage != first.lineage)
        #expect(withExtendedLifetime(first) { second.process != first.process })
    }

    @Test func withoutAPlaceForItTheIdentityIsFresh() {
        let first = ServerIdentity(directory: directory + "/none", now: now)
        let second = ServerIdentity(directory: directory + "/none", now: now)
        #expect(first.lineage != second.lineage)
    }

    @Test func whatIsNoIdIsReplaced() throws {
        try Data("rubbish".utf8).write(to: URL(fileURLWithPath: directory + "/server.id"))
        var first: ServerIdentity? = identity()
        let lineage = first?.lineage
        first = nil
        #expect(identity().lineage == lineage)
    }
}

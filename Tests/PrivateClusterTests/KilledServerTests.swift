import Foundation
import Testing

@testable import PrivateCluster

/// One process of this test program plays the server that is killed; the other one, the server after it.
@Suite("Killed server", .serialized)
struct KilledServerTests {
    private static let victimData = ProcessInfo.processInfo.environment["PRIVATE_CLUSTER_VICTIM"]

    @Test("after kill -9 of the server the next one adopts the postmaster at once", .enabled(if: victimData == nil))
    func killedServer() async throws {
        try await ClusterFixture.with { fixture in
            let victim = Process()
            victim.executableURL = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
            victim.arguments = ["--testing-library", "swift-testing", "--filter", "KilledServerTests"]
            victim.environment = ["PRIVATE_CLUSTER_VICTIM": fixture.data]
            victim.standardOutput = FileHandle.nullDevice
            victim.standardError = FileHandle.nullDevice
            try victim.run()
            defer { kill(victim.processIdentifier, SIGKILL) }
            let ready = fixture.root + "/data.ready"
            try await fixture.wait { FileManager.default.fileExists(atPath: ready) }
            let before = try fixture.postmasterID()
            await #expect(throws: PrivateClusterError.dataDirectoryInUse(fixture.data)) {
                _ = try await fixture.cluster().start()
            }
            kill(victim.processIdentifier, SIGKILL)
            victim.waitUntilExit()

            let heir = fixture.cluster()
            let connection = try await heir.start()
            #expect(try fixture.postmasterID() == before)
            #expect(try psql(connection, "SELECT x FROM t") == "1\n")
            await heir.stop()
        }
    }

    @Test("plays the server that is killed", .enabled(if: victimData != nil))
    func victim() async throws {
        let data = try #require(Self.victimData)
        let fixture = ClusterFixture(root: data, configuration: PrivateClusterConfiguration(dataDirectory: data))
        let cluster = fixture.cluster()
        #expect(try psql(await cluster.start(), "CREATE TABLE t AS SELECT 1 AS x") == "")
        try Data().write(to: URL(fileURLWithPath: data + ".ready"))
        // It is killed meanwhile.
        try await Task.sleep(for: .seconds(300))
        await cluster.stop()
    }
}

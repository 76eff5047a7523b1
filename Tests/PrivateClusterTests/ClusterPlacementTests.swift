import Foundation
import Testing

@testable import PrivateCluster

@Suite("Cluster placement", .serialized)
struct ClusterPlacementTests {
    @Test("a path too long or too odd for a socket address keeps its socket elsewhere, and removes it")
    func longPath() async throws {
        for name in [String(repeating: "long-directory/", count: 8) + "data", "it's a, b"] {
            try await ClusterFixture.with(name) { fixture in
                let cluster = fixture.cluster()
                let connection = try await cluster.start()
                let layout = try fixture.layout
                #expect(!layout.ownsSocketDirectory)
                #expect(try psql(connection, "SELECT 1") == "1\n")
                #expect(try #require(try FileStatus(at: layout.socketDirectory)).mode == 0o700)
                await cluster.stop()
                #expect(try FileStatus(at: layout.socketDirectory) == nil)
            }
        }
    }

    @Test("a socket directory that somebody else laid out is refused")
    func foreignSocketDirectory() async throws {
        try await ClusterFixture.with(String(repeating: "d", count: 100)) { fixture in
            let socket = ClusterLayout(
                directory: fixture.data + "/postgres",
                temporaryDirectory: fixture.root
            ).socketDirectory
            try FileManager.default.createSymbolicLink(atPath: socket, withDestinationPath: fixture.root)
            let linked = await #expect(throws: PrivateClusterError.self) { _ = try await fixture.cluster().start() }
            #expect(linked?.kind == .unusableDirectory)
            guard ClusterFixture.isRoot else { return }

            try FileManager.default.removeItem(atPath: socket)
            try shell("/bin/mkdir", "-m", "0700", socket)
            try shell("/bin/chown", "nobody", socket)
            let foreign = await #expect(throws: PrivateClusterError.self) { _ = try await fixture.cluster().start() }
            #expect(foreign?.kind == .unusableDirectory)
        }
    }

    @Test(
        "as root, a private data directory lets the service user pass and no more",
        .enabled(if: ClusterFixture.isRoot)
    )
    func privateDataDirectory() async throws {
        try await ClusterFixture.with { fixture in
            try shell("/bin/mkdir", "-m", "0700", fixture.data)
            let cluster = fixture.cluster()
            #expect(try psql(await cluster.start(), "SELECT 1") == "1\n")
            let status = try #require(try FileStatus(at: fixture.data))
            #expect(status.mode == 0o711)
            #expect(status.owner == 0)
            await cluster.stop()
        }
    }

    @Test("as root, below a closed directory, the cluster lives elsewhere", .enabled(if: ClusterFixture.isRoot))
    func closedParent() async throws {
        try await ClusterFixture.with("closed/data") { fixture in
            try shell("/bin/mkdir", "-m", "0700", fixture.root + "/closed")
            let cluster = fixture.cluster()
            #expect(try psql(await cluster.start(), "CREATE TABLE t AS SELECT 7 AS x") == "")
            #expect(try FileStatus(at: fixture.data + "/postgres")?.kind == .symbolicLink)
            #expect(try fixture.layout.directory.hasPrefix(fixture.root + "/state/cluster-"))
            #expect(try FileStatus(at: fixture.root + "/closed")?.mode == 0o700)
            await cluster.stop()
            #expect(try psql(await cluster.start(), "SELECT x FROM t") == "7\n")
            await cluster.stop()
        }
    }

    @Test("as root, a data directory of somebody else is refused", .enabled(if: ClusterFixture.isRoot))
    func foreignDataDirectory() async throws {
        try await ClusterFixture.with { fixture in
            try shell("/bin/mkdir", "-m", "0700", fixture.data)
            try shell("/bin/chown", "nobody", fixture.data)
            let error = await #expect(throws: PrivateClusterError.self) { _ = try await fixture.cluster().start() }
            #expect(error?.kind == .unusableDirectory)
        }
    }

    @Test("a cluster of another user is refused, not taken over", .enabled(if: ClusterFixture.isRoot))
    func foreignCluster() async throws {
        try await ClusterFixture.with { fixture in
            try shell("/bin/mkdir", "-m", "0700", fixture.data, fixture.data + "/postgres")
            try shell("/bin/chown", "nobody", fixture.data + "/postgres")
            let error = await #expect(throws: PrivateClusterError.self) { _ = try await fixture.cluster().start() }
            #expect(error?.kind == .unusableDirectory)
        }
    }
}

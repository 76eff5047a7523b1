import Foundation
import Testing

@testable import PrivateCluster

@Suite("Cluster start", .serialized)
struct ClusterStartTests {
    @Test("leftovers of a killed initdb are removed")
    func leftovers() async throws {
        try await ClusterFixture.with { fixture in
            let unfinished = fixture.data + "/postgres/data.new"
            try FileManager.default.createDirectory(atPath: unfinished + "/base", withIntermediateDirectories: true)
            try shell("/bin/chmod", "0700", fixture.data, fixture.data + "/postgres")
            if ClusterFixture.isRoot { try shell("/bin/chown", "-R", "postgres:", fixture.data + "/postgres") }
            let cluster = fixture.cluster()
            let connection = try await cluster.start()
            #expect(try psql(connection, "SELECT 1") == "1\n")
            #expect(!FileManager.default.fileExists(atPath: unfinished))
            await cluster.stop()
        }
    }

    @Test("a lock file whose number now is another process's does not stop the start")
    func recycledNumber() async throws {
        try await ClusterFixture.with { fixture in
            let cluster = fixture.cluster()
            _ = try await cluster.start()
            await cluster.stop()
            let stranger = Process()
            stranger.executableURL = URL(fileURLWithPath: "/usr/bin/setpriv")
            stranger.arguments =
                ClusterFixture.isRoot ? ["--reuid=postgres", "--regid=postgres", "--clear-groups"] : []
            stranger.arguments? += ["/bin/sleep", "60"]
            try stranger.run()
            defer {
                kill(stranger.processIdentifier, SIGKILL)
                stranger.waitUntilExit()
            }
            let layout = try fixture.layout
            let text =
                "\(stranger.processIdentifier)\n\(layout.data)\n1\n5432\n\(layout.socketDirectory)\n\n\nready   \n"
            let owner = try #require(ServiceIdentity(serviceUser: "postgres"))
            for path in [layout.postmasterFile, layout.socketLock] {
                try FileSystem.replaceFile(path, text, owner: owner)
            }
            let connection = try await cluster.start()
            #expect(try fixture.postmasterID() != stranger.processIdentifier)
            #expect(try psql(connection, "SELECT 1") == "1\n")
            #expect(stranger.isRunning)
            await cluster.stop()
        }
    }

    @Test("a start that fails tells what PostgreSQL said, and works once it is mended")
    func failedStart() async throws {
        try await ClusterFixture.with { fixture in
            let cluster = fixture.cluster()
            _ = try await cluster.start()
            await cluster.stop()
            let path = try fixture.layout.data + "/postgresql.conf"
            try shell("/bin/sh", "-c", "echo 'work_mem = nonsense' >> \(path)")
            let error = await #expect(throws: PrivateClusterError.self) { _ = try await cluster.start() }
            #expect(error?.kind == .startFailed)
            #expect(error?.message.contains("work_mem") == true)

            try shell("/bin/sed", "-i", "s/nonsense/8MB/", path)
            let connection = try await cluster.start()
            #expect(try psql(connection, "SHOW work_mem") == "8MB\n")
            await cluster.stop()
        }
    }

    @Test("a database that was dropped is made again")
    func droppedDatabase() async throws {
        try await ClusterFixture.with { fixture in
            let cluster = fixture.cluster()
            _ = try await cluster.start()
            #expect(try psql(fixture.superuser("postgres"), "DROP DATABASE monitor") == "")
            await cluster.stop()
            #expect(try psql(await cluster.start(), "SELECT current_database()") == "monitor\n")
            await cluster.stop()
        }
    }

    @Test("a cluster of a version that is not installed is refused and left alone")
    func wrongVersion() async throws {
        try await ClusterFixture.with { fixture in
            let data = fixture.data + "/postgres/data"
            try FileManager.default.createDirectory(atPath: data, withIntermediateDirectories: true)
            try Data("9\n".utf8).write(to: URL(fileURLWithPath: data + "/PG_VERSION"))
            try shell("/bin/chmod", "0700", fixture.data, fixture.data + "/postgres")
            let error = await #expect(throws: PrivateClusterError.self) { _ = try await fixture.cluster().start() }
            #expect(error?.kind == .versionMismatch)
            #expect(error?.message.contains("PostgreSQL 9, but only PostgreSQL") == true)
            #expect(try FileManager.default.contentsOfDirectory(atPath: data) == ["PG_VERSION"])
        }
    }

    @Test("without the programs the error says what to install")
    func noBinaries() async throws {
        try await ClusterFixture.with { fixture in
            fixture.configuration.binaryDirectory = fixture.root + "/nothing"
            let error = await #expect(throws: PrivateClusterError.self) { _ = try await fixture.cluster().start() }
            #expect(error?.kind == .binariesMissing)
            #expect(error?.message.contains("`postgresql`") == true)
            #expect(error?.message.contains("DATABASE_URL") == true)
        }
    }

    @Test("as root without the service user the error says so", .enabled(if: ClusterFixture.isRoot))
    func noServiceUser() async throws {
        try await ClusterFixture.with { fixture in
            for name in ["no-such-user", "root"] {
                fixture.configuration.serviceUser = name
                await #expect(throws: PrivateClusterError.serviceUserMissing(name)) {
                    _ = try await fixture.cluster().start()
                }
            }
        }
    }

    @Test(
        "paths that a shell would change are refused",
        arguments: ["relative", "/tmp/a\"b", "/tmp/$HOME", "/tmp/a\nb"]
    )
    func shellPaths(path: String) async throws {
        try await ClusterFixture.with { fixture in
            fixture.configuration.dataDirectory = path
            let error = await #expect(throws: PrivateClusterError.self) { _ = try await fixture.cluster().start() }
            #expect(error?.kind == .unusableDirectory)
        }
    }
}

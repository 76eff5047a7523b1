import Foundation
import Testing

@testable import PrivateCluster

@Suite("Private cluster", .serialized)
struct PrivateClusterTests {
    @Test("the first start makes the cluster, the second keeps the data")
    func firstAndSecondStart() async throws {
        try await ClusterFixture.with { fixture in
            let cluster = fixture.cluster()
            var connection = try await cluster.start()
            #expect(await cluster.isRunning)
            #expect(try await cluster.start() == connection)
            #expect(try psql(connection, "CREATE TABLE t (x text); INSERT INTO t VALUES ('kept')") == "")
            await cluster.stop()
            await cluster.stop()
            #expect(await !cluster.isRunning)
            #expect(try !ProcessTable.hasPostgres(in: fixture.layout.data))

            connection = try await cluster.start()
            #expect(try psql(connection, "SELECT x FROM t") == "kept\n")
            await cluster.stop()
        }
    }

    @Test("the settings hold: socket only, durable, UTF-8, checksums")
    func settings() async throws {
        try await ClusterFixture.with { fixture in
            let cluster = fixture.cluster()
            let connection = try await cluster.start()
            for (name, value) in [
                ("listen_addresses", ""), ("fsync", "on"), ("synchronous_commit", "on"), ("data_checksums", "on"),
                ("server_encoding", "UTF8"), ("lc_ctype", "C.UTF-8"), ("default_toast_compression", "lz4"),
                ("max_connections", "30"), ("unix_socket_permissions", "0700"), ("restart_after_crash", "on"),
            ] {
                #expect(try psql(connection, "SHOW \(name)") == value + "\n", "\(name)")
            }
            let log = try #require(try FileSystem.readTail(fixture.layout.data + "/current_logfiles", limit: 4096))
            #expect(log.contains(try fixture.layout.logDirectory))
            await cluster.stop()
        }
    }

    @Test("nobody but the owner reaches the cluster and its socket")
    func permissions() async throws {
        try await ClusterFixture.with { fixture in
            let cluster = fixture.cluster()
            _ = try await cluster.start()
            let layout = try fixture.layout
            let identity = try #require(ServiceIdentity(serviceUser: "postgres"))
            for path in [layout.directory, layout.data, layout.socketDirectory, layout.logDirectory] {
                let status = try #require(try FileStatus(at: path))
                #expect(status.mode & 0o077 == 0, "\(path)")
                #expect(status.owner == identity.userID, "\(path)")
            }
            #expect(try #require(try FileStatus(at: fixture.data + "/server.lock")).mode == 0o600)
            await cluster.stop()
        }
    }

    @Test("a postmaster whose server has gone is adopted, not restarted")
    func adoption() async throws {
        try await ClusterFixture.with { fixture in
            let before: Int32
            do {
                let cluster = fixture.cluster()
                _ = try await cluster.start()
                before = try fixture.postmasterID()
            }
            // The first owner is gone without a stop; its lock must have gone too.
            let heir = fixture.cluster()
            let connection = try await startAfterLockIsFree(heir, fixture)
            #expect(try fixture.postmasterID() == before)
            #expect(try psql(connection, "SELECT 1") == "1\n")
            await heir.stop()
            #expect(try !ProcessTable.isPostgres(before, in: fixture.layout.data))
        }
    }

    @Test("after kill -9 of the postmaster under load the same owner starts it again")
    func killedPostmaster() async throws {
        try await ClusterFixture.with { fixture in
            let cluster = fixture.cluster()
            var connection = try await cluster.start()
            #expect(try psql(connection, "CREATE TABLE t AS SELECT generate_series(1, 1000) AS x") == "")
            let client = Process()
            client.executableURL = URL(fileURLWithPath: "/usr/bin/psql")
            client.arguments = ["-X", "-d", connection, "-c", "SELECT pg_sleep(60)"]
            client.standardError = FileHandle.nullDevice
            try client.run()
            try await fixture.wait {
                try psql(connection, "SELECT count(*) FROM pg_stat_activity WHERE query LIKE '%pg_sleep(60)'")
                    .hasPrefix("1")
            }
            let before = try fixture.postmasterID()
            #expect(kill(before, SIGKILL) == 0)
            try await fixture.wait { try !ProcessTable.isPostgres(before, in: fixture.layout.data) }
            #expect(await !cluster.isRunning)

            connection = try await cluster.start()
            #expect(try fixture.postmasterID() != before)
            #expect(try psql(connection, "SELECT count(*) FROM t") == "1000\n")
            kill(client.processIdentifier, SIGKILL)
            client.waitUntilExit()
            await cluster.stop()
        }
    }

    @Test("a second owner of the data directory is refused, and let in after the first has stopped")
    func twoOwners() async throws {
        try await ClusterFixture.with { fixture in
            let first = fixture.cluster()
            _ = try await first.start()
            let second = fixture.cluster()
            await #expect(throws: PrivateClusterError.dataDirectoryInUse(fixture.data)) { _ = try await second.start() }
            #expect(await first.isRunning)
            await first.stop()
            _ = try await second.start()
            await second.stop()
        }
    }

    @Test("a start that is given up leaves nothing running and nothing half-made")
    func givenUpStart() async throws {
        try await ClusterFixture.with { fixture in
            let cluster = fixture.cluster()
            let starting = Task { try await cluster.start() }
            let initdb = try #require(await holdInitdb(of: fixture.data + "/postgres/data.new"))
            async let stopped: Void = cluster.stop()
            try await fixture.wait { !ProcessTable.exists(initdb) || isPending(SIGTERM, of: initdb) }
            kill(initdb, SIGCONT)
            await stopped
            let error = await #expect(throws: PrivateClusterError.self) { _ = try await starting.value }
            #expect(error?.kind == .cancelled)
            #expect(error?.isRetriable == true)
            #expect(try !FileManager.default.fileExists(atPath: fixture.layout.data))

            let connection = try await cluster.start()
            #expect(try psql(connection, "SELECT 1") == "1\n")
            #expect(try !FileManager.default.fileExists(atPath: fixture.layout.unfinishedData))
            await cluster.stop()
        }
    }

    /// Stops initdb in the midst of its work, and returns its process id. Not in a task: it may wait for a thread until
    /// initdb is done.
    private func holdInitdb(of directory: String) async -> Int32? {
        await withCheckedContinuation { continuation in
            Thread.detachNewThread {
                var looks = 15_000
                while looks > 0, !FileManager.default.fileExists(atPath: directory + "/base") {
                    usleep(2000)
                    looks -= 1
                }
                let names = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
                let initdb = names.compactMap { Int32($0) }.first { process in
                    let text = try? String(contentsOfFile: "/proc/\(process)/cmdline", encoding: .utf8)
                    let words = (text ?? "").split(separator: "\0")
                    return words.first?.hasSuffix("/initdb") == true && words.contains { $0 == directory }
                }
                if let initdb { kill(initdb, SIGSTOP) }
                continuation.resume(returning: initdb)
            }
        }
    }

    /// Whether the process was sent the signal and has not taken it yet.
    private func isPending(_ signal: Int32, of process: Int32) -> Bool {
        let status = (try? String(contentsOfFile: "/proc/\(process)/status", encoding: .utf8)) ?? ""
        let line = status.split(separator: "\n").first { $0.hasPrefix("ShdPnd:") } ?? ""
        let mask = UInt64(line.split(separator: "\t").last ?? "", radix: 16) ?? 0
        return mask & (1 << UInt64(signal - 1)) != 0
    }

    /// The dropped actor is freed when its last task ends, a moment after the scope did.
    private func startAfterLockIsFree(_ cluster: PrivateCluster, _ fixture: ClusterFixture) async throws -> String {
        try await fixture.wait { try LockFile(fixture.data + "/server.lock") != nil }
        return try await cluster.start()
    }
}

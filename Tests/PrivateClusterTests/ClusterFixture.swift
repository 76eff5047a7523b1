import Foundation
import Logging
import Testing

@testable import PrivateCluster

/// A temporary data directory and everything that came to live in it. Nothing of it is left when the test ends.
struct ClusterFixture: Sendable {
    static let isRoot = geteuid() == 0

    let root: String
    var configuration: PrivateClusterConfiguration

    var data: String { configuration.dataDirectory }

    var layout: ClusterLayout {
        get throws {
            ClusterLayout(
                directory: try FileSystem.realPath(data + "/postgres"),
                temporaryDirectory: configuration.temporaryDirectory
            )
        }
    }

    /// Runs `body` with a fresh fixture whose data directory is `<root>/<name>`.
    static func with(
        _ name: String = "data",
        _ body: (inout ClusterFixture) async throws -> Void
    ) async throws {
        var template = Array("/tmp/cluster-test-XXXXXX".utf8CString)
        let made = try #require(mkdtemp(&template))
        let root = String(cString: made)
        chmod(root, 0o755)
        var configuration = PrivateClusterConfiguration(dataDirectory: "\(root)/\(name)", startTimeout: 60)
        configuration.stateDirectory = root + "/state"
        configuration.temporaryDirectory = root
        var fixture = ClusterFixture(root: root, configuration: configuration)
        let outcome: Result<Void, any Error>
        do {
            outcome = .success(try await body(&fixture))
        } catch {
            outcome = .failure(error)
        }
        await fixture.cleanUp()
        try outcome.get()
    }

    func cluster() -> PrivateCluster {
        PrivateCluster(configuration: configuration, logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
    }

    /// The connection string of the role that initdb made.
    func superuser(_ database: String) throws -> String {
        try layout.connectionString(database: database, role: ClusterLayout.roleName)
    }

    func postmasterID() throws -> Int32 {
        let text = try #require(try FileSystem.readTail(layout.postmasterFile, limit: 4096))
        return try #require(PostmasterFile(text)).processID
    }

    /// Looks every 20 ms, for thirty seconds.
    func wait(until condition: () throws -> Bool) async throws {
        for _ in 0..<1500 {
            if try condition() { return }
            try await Task.sleep(for: .milliseconds(20))
        }
        Issue.record("waited in vain")
    }

    private func cleanUp() async {
        if let layout = try? layout {
            let text = try? FileSystem.readTail(layout.postmasterFile, limit: 4096)
            if let pid = text.flatMap(PostmasterFile.init)?.processID, ProcessTable.isPostgres(pid, in: layout.data) {
                kill(pid, SIGQUIT)
            }
            try? await wait { !ProcessTable.hasPostgres(in: layout.data) }
        }
        try? FileManager.default.removeItem(atPath: root)
        #expect(!FileManager.default.fileExists(atPath: root))
    }
}

/// Runs a program to its end.
@discardableResult
func shell(_ path: String, _ arguments: String...) throws -> String {
    let process = Process()
    let pipe = Pipe()
    process.executableURL = URL(fileURLWithPath: path)
    process.arguments = arguments
    process.standardOutput = pipe
    process.standardError = pipe
    try process.run()
    let output = pipe.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    return String(decoding: output, as: UTF8.self)
}

func psql(_ connection: String, _ sql: String) throws -> String {
    try shell("/usr/bin/psql", "-X", "-q", "-t", "-A", "-d", connection, "-c", sql)
}

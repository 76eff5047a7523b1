import EventModel
import Foundation
import Logging
import Persistence
import Synchronization

package struct NoTestDatabase: Error, CustomStringConvertible {
    package var description: String {
        "TEST_DATABASE_URL is not set: run the tests as scripts/with-test-postgres swift test"
    }
}

/// Databases to drop when the process ends, unless their cluster ends with it: a drop waits for a checkpoint. A test
/// may still be using one when it lets go of its `TestDatabase`.
private let databases = Mutex<[String]>([])

private func dropDatabases() {
    guard let url = ProcessInfo.processInfo.environment["TEST_DATABASE_URL"],
        let server = try? PQConnection(conninfo: url, applicationName: "tests")
    else { return }
    for name in databases.withLock({ $0 }) {
        try? server.execute("DROP DATABASE IF EXISTS \(name) WITH (FORCE)", as: "drop database")
    }
}

/// A database of its own in the test cluster. A migrated one is a copy of one that was migrated once, with an epoch of
/// its own.
package final class TestDatabase: Sendable {
    private static let template = Result { try TestDatabase(from: "template1") { try $0.migrate() }.name }

    package static let migrations = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        .appendingPathComponent("migrations").path

    package let name: String
    package let conninfo: String

    package convenience init(migrated: Bool = true) throws {
        if migrated {
            try self.init(from: try Self.template.get()) {
                try $0.execute("UPDATE log_head SET epoch = gen_random_uuid()::text")
                try $0.execute("UPDATE projections SET epoch = (SELECT epoch FROM log_head)")
            }
        } else {
            try self.init(from: "template1") { _ in }
        }
    }

    private init(from template: String, prepare: (TestDatabase) throws -> Void) throws {
        guard let url = ProcessInfo.processInfo.environment["TEST_DATABASE_URL"], !url.isEmpty else {
            throw NoTestDatabase()
        }
        let name = "test_\(UUID().uuidString.replacingOccurrences(of: "-", with: "").lowercased())"
        self.name = name
        let server = try PQConnection(conninfo: url, applicationName: "tests")
        try server.execute("CREATE DATABASE \(name) TEMPLATE \(template)", as: "create database")
        databases.withLock { names in
            let ends = ProcessInfo.processInfo.environment["TEST_DATABASE_ENDS"] != nil
            if names.isEmpty, !ends { atexit(dropDatabases) }
            names.append(name)
        }
        guard var parts = URLComponents(string: url) else { throw NoTestDatabase() }
        parts.path = "/\(name)"
        conninfo = parts.string ?? url
        try prepare(self)
    }

    private func migrate() throws {
        try Migrator(configuration: configuration, logger: quiet).run()
    }

    /// Applies the migrations before the one whose file's name ends so. A migrator of the database then applies the
    /// others.
    package func migrate(before ending: String) throws {
        let all = URL(fileURLWithPath: TestDatabase.migrations).resolvingSymlinksInPath()
        let part = FileManager.default.temporaryDirectory.appendingPathComponent("migrations-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: part, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: part) }
        let names = try FileManager.default.contentsOfDirectory(atPath: all.path).sorted()
        for name in names.prefix(while: { !$0.hasSuffix(ending) }) {
            let (source, copy) = (all.appendingPathComponent(name), part.appendingPathComponent(name))
            try FileManager.default.copyItem(at: source, to: copy)
        }
        var configuration = configuration
        configuration.migrationsDirectory = part.path
        try Migrator(configuration: configuration, logger: quiet).run()
    }

    package var configuration: PersistenceConfiguration {
        var configuration = PersistenceConfiguration(conninfo: conninfo, migrationsDirectory: TestDatabase.migrations)
        // A busy machine is not what the tests are about.
        configuration.projectionWaitSeconds = 60
        return configuration
    }

    /// Where the cluster's unix socket is; `nil` if the tests run against another kind of server.
    package var socketDirectory: String? {
        URLComponents(string: conninfo)?.queryItems?.first { $0.name == "host" }?.value
    }

    package func connect() throws -> PQConnection {
        try PQConnection(conninfo: conninfo, applicationName: "test")
    }

    package func execute(_ sql: String) throws {
        try connect().execute(sql, as: "test")
    }

    /// The first column of every row, which must be `bigint`.
    package func integers(_ sql: String) throws -> [Int64] {
        try connect().query(Statement("test", sql)).values()
    }

    /// The first column of every row, which must be `text`.
    package func texts(_ sql: String) throws -> [String] {
        try connect().query(Statement("test", sql)).values()
    }

    /// Ends the backends of one of the product's connections, by its application_name. Waits until they are gone.
    package func terminate(_ applicationName: String) throws {
        try execute(
            """
            SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity
            WHERE datname = current_database() AND application_name = '\(applicationName)'
            """
        )
    }

    package func makeMachine(_ machineName: String = "studio") throws -> MachineID {
        try execute("INSERT INTO machines (name) VALUES ('\(machineName)')")
        return MachineID(rawValue: try integers("SELECT id FROM machines WHERE name = '\(machineName)'")[0])
    }
}

package let quiet = Logger(label: "tests") { _ in SwiftLogNoOpLogHandler() }

@Sendable package func systemNow() -> Timestamp {
    Timestamp(microseconds: Int64(Date().timeIntervalSince1970 * 1_000_000))
}

/// An event with just enough in it; `id` tells events apart and is its low bits.
package func makeEvent(
    id: UInt64,
    machine: MachineID = MachineID(rawValue: 1),
    machineName: String = "studio",
    session: String? = "session-1",
    hook: String = "PostToolUse",
    at: Timestamp = systemNow(),
    project: String? = "/home/dev/project",
    tool: String? = "Bash",
    payload: [UInt8] = Array("{}".utf8)
) -> MonitorEvent {
    let name = HookEventName(hook)
    return MonitorEvent(
        id: EventID(high: 0x0190_B7C4_0000_7000, low: id),
        type: EventType(name),
        hookEventName: name,
        timestamp: at,
        receivedAt: at,
        machine: machine,
        machineName: machineName,
        sessionID: session,
        projectPath: project,
        toolName: tool,
        summary: "summary \(id)",
        payload: payload,
        facts: SessionFacts()
    )
}

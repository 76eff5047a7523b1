import DatabaseSamples
import Foundation
import Testing
import Workers

@testable import Persistence

@Suite struct MigratorTests {
    /// A copy of the migrations directory that a test may change.
    private func copyOfMigrations() throws -> URL {
        let copy = FileManager.default.temporaryDirectory.appendingPathComponent("migrations-\(UUID().uuidString)")
        try FileManager.default.copyItem(
            at: URL(fileURLWithPath: TestDatabase.migrations).resolvingSymlinksInPath(),
            to: copy
        )
        return copy
    }

    private func migrator(_ database: TestDatabase, _ directory: URL) -> Migrator {
        var configuration = database.configuration
        configuration.migrationsDirectory = directory.path
        return Migrator(configuration: configuration, logger: quiet)
    }

    @Test func freshDatabaseGetsEveryFileOnce() throws {
        let database = try TestDatabase(migrated: false)
        let migrator = Migrator(configuration: database.configuration, logger: quiet)
        let applied = try migrator.run()
        #expect(applied.first == "0001_machines_and_keys.sql")
        #expect(try migrator.run() == [])
        #expect(try database.integers("SELECT count(*) FROM schema_migrations") == [Int64(applied.count)])
        #expect(try database.integers("SELECT last_seq FROM log_head") == [0])
    }

    @Test func severalServersAtOnceMigrateOnce() throws {
        let database = try TestDatabase(migrated: false)
        let configuration = database.configuration
        let results = Mailbox<Result<[String], MigrationError>>(byteLimit: .max)
        let threads = try (0..<4).map { _ in
            try WorkerThread(name: "migrate") {
                let migrator = Migrator(configuration: configuration, logger: quiet)
                _ = results.offer(Result { () throws(MigrationError) in try migrator.run() }, bytes: 1)
            }
        }
        for thread in threads { thread.join() }
        guard case .elements(let answers) = results.takeAll(timeoutMilliseconds: 0) else {
            Issue.record("no answers")
            return
        }
        let applied = try answers.map { try $0.get() }
        #expect(applied.count == 4)
        #expect(applied.filter { !$0.isEmpty }.count == 1)
    }

    /// A sequence keeps its value when a transaction is rolled back.
    @Test(arguments: [(deadlocks: 4, succeeds: true), (5, false)])
    func aMigrationBeginsAgainAfterADeadlock(deadlocks: Int, succeeds: Bool) throws {
        let database = try TestDatabase()
        try database.execute("CREATE SEQUENCE attempts")
        let directory = try copyOfMigrations()
        defer { try? FileManager.default.removeItem(at: directory) }
        let last = try database.integers("SELECT max(version)::bigint FROM schema_migrations")[0]
        let sql = """
            CREATE TABLE late (id int);
            DO $$ BEGIN
                IF nextval('attempts') <= \(deadlocks) THEN RAISE EXCEPTION 'deadlock' USING ERRCODE = '40P01'; END IF;
            END $$;
            """
        let file = directory.appendingPathComponent(String(format: "%04d_late.sql", last + 1))
        try sql.write(to: file, atomically: true, encoding: .utf8)
        if succeeds {
            #expect(try migrator(database, directory).run() == [file.lastPathComponent])
        } else {
            #expect(throws: MigrationError.self) { try migrator(database, directory).run() }
        }
        #expect(try database.integers("SELECT count(*) FROM pg_tables WHERE tablename = 'late'") == [succeeds ? 1 : 0])
        #expect(try database.integers("SELECT last_value FROM attempts") == [5])
    }

    @Test func editedFileIsRefused() throws {
        let database = try TestDatabase()
        let directory = try copyOfMigrations()
        defer { try? FileManager.default.removeItem(at: directory) }
        let file = directory.appendingPathComponent("0002_workspaces_and_sessions.sql")
        try (String(contentsOf: file, encoding: .utf8) + "\n").write(to: file, atomically: true, encoding: .utf8)
        #expect(throws: MigrationError.edited(file: "0002_workspaces_and_sessions.sql")) {
            try migrator(database, directory).run()
        }
    }

    @Test func renamedFileIsRefused() throws {
        let database = try TestDatabase()
        let directory = try copyOfMigrations()
        defer { try? FileManager.default.removeItem(at: directory) }
        try FileManager.default.moveItem(
            at: directory.appendingPathComponent("0003_event_log.sql"),
            to: directory.appendingPathComponent("0003_other.sql")
        )
        #expect(throws: MigrationError.missing(version: 3, name: "event_log")) {
            try migrator(database, directory).run()
        }
    }

    @Test func newerDatabaseIsRefused() throws {
        let database = try TestDatabase()
        try database.execute("INSERT INTO schema_migrations (version, name, sha256) VALUES (9000, 'later', 'x')")
        let error = #expect(throws: MigrationError.self) {
            try Migrator(configuration: database.configuration, logger: quiet).run()
        }
        guard case .databaseIsNewer(version: 9000, newestFile: _)? = error else {
            Issue.record("unexpected \(String(describing: error))")
            return
        }
    }

    @Test func gapInTheNumbersIsRefused() throws {
        let database = try TestDatabase(migrated: false)
        let directory = try copyOfMigrations()
        defer { try? FileManager.default.removeItem(at: directory) }
        try FileManager.default.removeItem(at: directory.appendingPathComponent("0002_workspaces_and_sessions.sql"))
        #expect(throws: MigrationError.numbering(file: "0003_event_log.sql", expected: 2)) {
            try migrator(database, directory).run()
        }
    }

    @Test func failedFileLeavesNothingBehind() throws {
        let database = try TestDatabase()
        let directory = try copyOfMigrations()
        defer { try? FileManager.default.removeItem(at: directory) }
        let count = try database.integers("SELECT count(*) FROM schema_migrations")[0]
        let name = String(format: "%04d_broken.sql", Int(count) + 1)
        try "CREATE TABLE half (id bigint); SELECT 1/0;".write(
            to: directory.appendingPathComponent(name),
            atomically: true,
            encoding: .utf8
        )
        let error = #expect(throws: MigrationError.self) { try migrator(database, directory).run() }
        guard case .failed(file: name, let cause)? = error else {
            Issue.record("unexpected \(String(describing: error))")
            return
        }
        #expect(cause.sqlState == SQLState("22012"))
        #expect(try database.integers("SELECT count(*) FROM schema_migrations") == [count])
        #expect(try database.integers("SELECT count(*) FROM pg_class WHERE relname = 'half'") == [0])
    }

    @Test func everyTableColumnAndFunctionHasAComment() throws {
        let database = try TestDatabase()
        let uncommented = try database.texts(
            """
            SELECT c.relname || coalesce('.' || a.attname, '') FROM pg_class c
            LEFT JOIN (SELECT attrelid, attnum, attname FROM pg_attribute WHERE attnum > 0 AND NOT attisdropped
                UNION ALL SELECT oid, 0, NULL FROM pg_class) a ON a.attrelid = c.oid
            WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p') AND NOT c.relispartition
                AND coalesce(col_description(c.oid, a.attnum), CASE WHEN a.attnum = 0 THEN obj_description(c.oid) END)
                    IS NULL
            UNION ALL
            SELECT proname::text FROM pg_proc
            WHERE pronamespace = 'public'::regnamespace AND obj_description(oid, 'pg_proc') IS NULL
            """
        )
        #expect(uncommented == [])
    }
}

package import Logging

/// Migrates the schema. Each file is applied in order, in its own transaction, which also records it. An advisory
/// lock prevents several servers from migrating at once. There are no down migrations: restore from a backup.
package struct Migrator: Sendable {
    /// Key of the session-level advisory lock, documented so that nothing else takes it.
    static let lockKey: Int64 = 7_305_808_842_105_970
    /// How often a migration is tried. A server that uses the tables meanwhile can deadlock with it, and the database
    /// then ends one of the two transactions.
    private static let deadlockAttempts = 5

    private let configuration: PersistenceConfiguration
    private let logger: Logger
    private let shouldGiveUp: @Sendable () -> Bool

    /// - Parameter shouldGiveUp: called a few times a second. `true` aborts the current migration, which the database
    ///   rolls back.
    package init(
        configuration: PersistenceConfiguration,
        logger: Logger,
        shouldGiveUp: @escaping @Sendable () -> Bool = { false }
    ) {
        self.configuration = configuration
        self.logger = logger
        self.shouldGiveUp = shouldGiveUp
    }

    /// Blocks. Waits up to a minute for another server that is migrating. Returns the names of the applied files.
    @discardableResult
    package func run() throws(MigrationError) -> [String] {
        let files = try MigrationDirectory.read(configuration.migrationsDirectory)
        let connection = try connect()
        let plan = try MigrationPlan(
            files: files,
            digests: try digests(of: files, on: connection),
            applied: try applied(on: connection)
        )
        for file in plan.pending {
            try apply(file, on: connection)
            logger.info("migration applied", metadata: ["file": "\(file.fileName)"])
        }
        return plan.pending.map(\.fileName)
    }

    private func connect() throws(MigrationError) -> PQConnection {
        do throws(PersistenceError) {
            let connection = try PQConnection(
                configuration,
                applicationName: "claude-monitor migrate",
                replyTimeoutMilliseconds: -1,
                shouldGiveUp: shouldGiveUp
            )
            try connection.execute("SET lock_timeout = '60s'; SET client_min_messages = warning", as: "set up")
            // Released with the connection.
            _ = try connection.query(Migrator.lock, Parameters(of: Migrator.lockKey))
            try connection.execute(Migrator.createTable, as: "create schema_migrations")
            return connection
        } catch {
            throw .database(error)
        }
    }

    private func digests(of files: [MigrationFile], on connection: PQConnection) throws(MigrationError) -> [String] {
        do throws(PersistenceError) {
            var digests: [String] = []
            for file in files {
                let result = try connection.query(Migrator.digest, Parameters(of: RawBytes(bytes: file.sql)))
                digests.append(try result.firstValue() ?? "")
            }
            return digests
        } catch {
            throw .database(error)
        }
    }

    private func applied(on connection: PQConnection) throws(MigrationError) -> [AppliedMigration] {
        do throws(PersistenceError) {
            return try connection.query(Migrator.list).map { row throws(PersistenceError) in
                try row.make(AppliedMigration.init)
            }
        } catch {
            throw .database(error)
        }
    }

    private func apply(_ file: MigrationFile, on connection: PQConnection) throws(MigrationError) {
        var attempt = 1
        do throws(PersistenceError) {
            while !(try isApplied(file, on: connection, isLast: attempt == Migrator.deadlockAttempts)) { attempt += 1 }
        } catch {
            // The caller closes the connection, which rolls the transaction back.
            throw .failed(file: file.fileName, error)
        }
    }

    /// False after a deadlock, whose transaction is rolled back.
    private func isApplied(
        _ file: MigrationFile,
        on connection: PQConnection,
        isLast: Bool
    ) throws(PersistenceError) -> Bool {
        do throws(PersistenceError) {
            try connection.execute("BEGIN", as: "begin")
            try connection.execute(String(decoding: file.sql, as: UTF8.self), as: file.fileName)
            let parameters = Parameters(of: file.version, file.name, RawBytes(bytes: file.sql))
            _ = try connection.query(Migrator.record, parameters)
            try connection.execute("COMMIT", as: "commit")
            return true
        } catch {
            guard error.sqlState == .deadlockDetected, !isLast else { throw error }
            logger.info("migration begins again after a deadlock", metadata: ["file": "\(file.fileName)"])
            try connection.execute("ROLLBACK", as: "roll back")
            return false
        }
    }
}

extension Migrator {
    private static let lock = Statement("lock_migrations", [.int8], "SELECT pg_advisory_lock($1)")

    private static let digest = Statement("digest", [.bytea], "SELECT encode(sha256($1), 'hex')")

    private static let list = Statement(
        "list_migrations",
        "SELECT version::bigint, name, sha256 FROM schema_migrations ORDER BY version"
    )

    private static let record = Statement(
        "record_migration",
        [.int8, .text, .bytea],
        "INSERT INTO schema_migrations (version, name, sha256) VALUES ($1, $2, encode(sha256($3), 'hex'))"
    )

    private static let createTable = """
        CREATE TABLE IF NOT EXISTS schema_migrations (
            version bigint PRIMARY KEY,
            name text NOT NULL,
            sha256 text NOT NULL,
            applied_at timestamptz NOT NULL DEFAULT now()
        );
        COMMENT ON TABLE schema_migrations IS 'The files of the migrations directory that were applied.';
        COMMENT ON COLUMN schema_migrations.version IS 'The number that the file''s name begins with.';
        COMMENT ON COLUMN schema_migrations.name IS 'The rest of the file''s name, without the extension.';
        COMMENT ON COLUMN schema_migrations.sha256 IS 'SHA-256 of the file when it was applied, in hexadecimal.';
        COMMENT ON COLUMN schema_migrations.applied_at IS 'When it was applied.';
        """
}

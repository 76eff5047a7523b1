import DatabaseSamples
import EventModel
import Testing

@testable import Persistence

@Suite struct RetentionStepTests {
    private let now = systemNow()
    private static let deletePortion = Statement(
        "delete_portion",
        [.timestamptz, .int8],
        "DELETE FROM notes WHERE id IN (SELECT id FROM notes WHERE at < $1 LIMIT $2)"
    )

    /// A database with the table of a module above, and notes of these ages in days.
    private func database(_ ages: [Int] = []) throws -> TestDatabase {
        let database = try TestDatabase()
        try database.execute("CREATE TABLE notes (id bigint GENERATED ALWAYS AS IDENTITY, age bigint, at timestamptz)")
        for age in ages {
            try database.execute("INSERT INTO notes (age, at) VALUES (\(age), now() - interval '\(age) days')")
        }
        return database
    }

    private func run(_ steps: [RetentionStep], on database: TestDatabase) throws {
        var configuration = database.configuration
        configuration.retentionDays = 20
        _ = try LogMaintenance(configuration: configuration, steps: steps, logger: quiet).run(now: now)
    }

    @Test(arguments: [
        (RetentionAge.ofEvents(), [5, 15]), (.ofEvents(atMost: 10 * 86_400), [5]),
        (.ofEvents(atMost: 30 * 86_400), [5, 15]), (.seconds(30 * 86_400), [5, 15, 25]),
    ])
    func rowsGoAtTheirAge(_ age: RetentionAge, _ left: [Int64]) throws {
        let portions = try database([5, 15, 25, 35])
        try run([.portions(RetentionStepTests.deletePortion, age)], on: portions)
        #expect(try portions.integers("SELECT age FROM notes ORDER BY age") == left)
        let once = try database([5, 15, 25, 35])
        try run([.once(Statement("delete", [.timestamptz], "DELETE FROM notes WHERE at < $1"), age)], on: once)
        #expect(try once.integers("SELECT age FROM notes ORDER BY age") == left)
    }

    @Test func whatIsForgottenIsForgottenHoweverMuchThereIs() throws {
        let database = try database()
        try database.execute(
            "INSERT INTO notes (at) SELECT now() - interval '91 days' FROM generate_series(1, 20001)"
        )
        try run([.portions(RetentionStepTests.deletePortion, .ofEvents())], on: database)
        #expect(try database.integers("SELECT count(*) FROM notes") == [0])
    }

    @Test func orphansGoWithTheProjectThatNoModuleKeeps() throws {
        let database = try database([1, 2])
        try database.execute(
            """
            INSERT INTO machines (name) VALUES ('studio');
            INSERT INTO workspaces (id, machine_id, path, name, last_activity_at)
                SELECT id, 1, '/' || id, id, now() - interval '91 days' FROM notes
            """
        )
        let orphans = Statement(
            "delete_orphans",
            "DELETE FROM notes WHERE NOT EXISTS (SELECT FROM workspaces w WHERE w.id = notes.id::text)"
        )
        try run([.orphans(orphans), .keepsProject("w.id = '2'"), .keepsProject("false")], on: database)
        #expect(try database.texts("SELECT id FROM workspaces") == ["2"])
        #expect(try database.integers("SELECT id FROM notes") == [2])
    }
}

import DatabaseSamples
import EventModel
import Testing

@testable import Persistence

@Suite("Projects stored in several spellings")
struct ProjectSpellingTests {
    static let spellings: [[String]] = [
        ["C:\\Users\\me\\app", "c:\\Users\\me\\app", "c:/Users/me/app/", "C:\\Users\\x\\..\\me\\.\\app"],
        ["/home/u/app", "/home/u/app/", "//home/u/app", "/home/u/x/../app", "/../home/u/./app"],
        ["/a/caf\u{E9}", "/a/cafe\u{301}"], ["/", "//", "/.."], ["\\\\server\\share", "\\\\server\\share\\"],
        ["../app", "x/../../app/"], [".", "a/.."], ["/a\\b", "/a\\b/"],
    ]

    @Test("are joined under the id that the next event of each gives, with what belongs to them")
    func joined() throws {
        let database = try TestDatabase(migrated: false)
        try database.migrate(before: "_project_spellings.sql")
        let machine = try database.makeMachine()
        var number = 0
        for path in ProjectSpellingTests.spellings.joined() {
            number += 1
            // The id that the path itself gave.
            let id = "ws-" + Fingerprint.hex(String(machine.rawValue), path)
            let quoted = "'\(path)'"
            try database.execute(
                """
                INSERT INTO workspaces (id, machine_id, path, name, created_at, last_activity_at)
                VALUES ('\(id)', \(machine.rawValue), \(quoted), 'n', now(), now() + interval '\(number) s');
                INSERT INTO event_counts VALUES ('2026-01-01', \(machine.rawValue), '\(id)', '', 1, 2, 3, 4);
                INSERT INTO push_preferences VALUES ('project', '\(id)', '{}', now());
                """
            )
        }
        try database.execute("UPDATE workspaces SET name = 'mine', updated_at = now() WHERE path LIKE 'c:/%'")
        let applied = try Migrator(configuration: database.configuration, logger: quiet).run()
        #expect(applied.first?.hasSuffix("_project_spellings.sql") ?? false)
        let expected = ProjectSpellingTests.spellings.map { WorkspaceID.make(machine: machine, path: $0[0]) }.sorted()
        #expect(try database.texts("SELECT id FROM workspaces ORDER BY id COLLATE \"C\"") == expected)
        #expect(try database.texts("SELECT subject FROM push_preferences ORDER BY subject COLLATE \"C\"") == expected)
        let counted = "SELECT workspace_id FROM event_counts ORDER BY workspace_id COLLATE \"C\""
        #expect(try database.texts(counted) == expected)
        let count = Int64(number)
        #expect(try database.integers("SELECT sum(events)::bigint FROM event_counts") == [count])
        #expect(try database.integers("SELECT sum(tool_failures)::bigint FROM event_counts") == [4 * count])
        #expect(try database.texts("SELECT name FROM workspaces WHERE name <> 'n'") == ["mine"])
    }
}

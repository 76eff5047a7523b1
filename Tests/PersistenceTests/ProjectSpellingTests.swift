import DatabaseSamples
import EventModel
import Foundation
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

    private static func migration() throws -> String {
        let directory = URL(fileURLWithPath: TestDatabase.migrations)
        let names = try FileManager.default.contentsOfDirectory(atPath: directory.path)
        let name = try #require(names.first { $0.hasSuffix("_project_spellings.sql") })
        return try String(contentsOf: directory.appendingPathComponent(name), encoding: .utf8)
    }

    @Test("are joined under the id that the next event of each gives, with what belongs to them")
    func joined() throws {
        let database = try TestDatabase()
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
        let migration = try ProjectSpellingTests.migration()
        try database.execute(migration)
        let expected = ProjectSpellingTests.spellings.map { WorkspaceID.make(machine: machine, path: $0[0]) }.sorted()
        #expect(try database.texts("SELECT id FROM workspaces ORDER BY id COLLATE \"C\"") == expected)
        #expect(try database.texts("SELECT subject FROM push_preferences ORDER BY subject COLLATE \"C\"") == expected)
        #expect(try database.texts("SELECT workspace_id FROM event_counts ORDER BY 1 COLLATE \"C\"") == expected)
        let count = Int64(number)
        #expect(try database.integers("SELECT sum(events)::bigint FROM event_counts") == [count])
        #expect(try database.integers("SELECT sum(tool_failures)::bigint FROM event_counts") == [4 * count])
        #expect(try database.texts("SELECT name FROM workspaces WHERE name <> 'n'") == ["mine"])
        // A second run changes nothing.
        try database.execute(migration)
        #expect(try database.texts("SELECT id FROM workspaces ORDER BY id COLLATE \"C\"") == expected)
    }
}

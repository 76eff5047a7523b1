import Testing

@testable import Persistence

@Suite struct MigrationPlanTests {
    private func file(_ name: String) throws -> MigrationFile {
        try #require(MigrationFile(fileName: name, sql: []))
    }

    @Test(arguments: ["1_a.sql", "0001.sql", "0001_.sql", "0001-a.sql", "abcd_a.sql", "0001_a.txt"])
    func otherNamesAreNoMigrations(name: String) {
        #expect(MigrationFile(fileName: name, sql: []) == nil)
    }

    @Test func onlyWhatIsNewIsPending() throws {
        let files = [try file("0001_a.sql"), try file("0002_b.sql")]
        let applied = [AppliedMigration(version: 1, name: "a", digest: "x")]
        let plan = try MigrationPlan(files: files, digests: ["x", "y"], applied: applied)
        #expect(plan.pending.map(\.version) == [2])
    }

    @Test func repeatedNumberIsRefused() throws {
        let files = [try file("0001_a.sql"), try file("0001_b.sql")]
        #expect(throws: MigrationError.numbering(file: "0001_b.sql", expected: 2)) {
            try MigrationPlan(files: files, digests: ["x", "y"], applied: [])
        }
    }

    @Test func fileBelowTheNewestAppliedIsRefused() throws {
        let files = [try file("0001_a.sql"), try file("0002_b.sql")]
        let applied = [AppliedMigration(version: 2, name: "b", digest: "y")]
        #expect(throws: MigrationError.missing(version: 1, name: "a")) {
            try MigrationPlan(files: files, digests: ["x", "y"], applied: applied)
        }
    }
}

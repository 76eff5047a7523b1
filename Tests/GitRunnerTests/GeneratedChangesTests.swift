import Foundation
import GitRunner
import JSON
import Testing

/// Change sets of generated repositories, against the contents of the work trees.
@Suite(.timeLimit(.minutes(10))) struct GeneratedChangesTests {
    private static let count = ProcessInfo.processInfo.environment["GIT_REPOSITORIES"].flatMap { Int($0) } ?? 50

    @Test(arguments: 0..<count) func agreesWithTheWorkTree(_ seed: Int) throws {
        let sandbox = try Sandbox()
        var repository = try GeneratedRepository(seed, sandbox)
        let path = repository.path
        let untouched = try Snapshot(path, sandbox)
        // Git refreshes its index when it says the status.
        #expect(try ChangesTests.begin(path, sandbox))
        #expect(try Snapshot(path, sandbox) == untouched)
        let before = try files(path)
        for _ in 0..<(seed % 8) { try repository.change() }
        if seed % 3 == 1, try sandbox.text(["ls-files", "-u"], in: path).isEmpty { try repository.commit() }
        for _ in 0..<(seed % 5) { try repository.change() }
        let after = try files(path)
        let expected = Set(before.keys).union(after.keys).filter { before[$0] != after[$0] }
        let answer = try ChangesTests.changes(sandbox) { $0.limit = 1000 }
        let files = answer["files"]?.array ?? []
        let said = files.flatMap { file in ["path", "old_path"].compactMap { file[$0]?.string } }
        #expect(Set(said) == expected, "\(ChangesTests.lines(answer))")
        for file in files {
            let name = file["path"]?.string ?? ""
            switch file["status"]?.string {
            case "added": #expect(before[name] == nil && after[name] != nil)
            case "deleted": #expect(before[name] != nil && after[name] == nil)
            case "modified": #expect(before[name] != nil && after[name] != nil)
            case "renamed": #expect(after[name] != nil && after[file["old_path"]?.string ?? ""] == nil)
            default: Issue.record("status of \(name)")
            }
        }
        // The patches lead from the one to the other.
        #expect(answer["complete"] == .bool(true))
    }

    /// Without what belongs to submodules.
    private func files(_ path: String) throws -> [String: Data] {
        try Snapshot.files(in: path).filter { !$0.key.hasPrefix("sub/") }
    }
}

import Foundation
import GitRunner
import JSON
import Testing

/// What a change set leaves out, and how it says so.
@Suite(.timeLimit(.minutes(5))) struct ChangeFaultsTests {
    private func repository(_ sandbox: Sandbox) throws -> String {
        let path = try sandbox.repository()
        try "one\n".write(toFile: path + "/a.txt")
        try "TOKEN=one\n".write(toFile: path + "/.env")
        try sandbox.git(["add", "-A"], in: path)
        try sandbox.git(["commit", "-q", "-m", "one"], in: path)
        return path
    }

    private func isKept(_ text: String, _ sandbox: Sandbox) throws -> Bool {
        // Objects are compressed: git reads them.
        let sets = sandbox.state + "/changes/" + ChangesTests.session
        for state in try FileManager.default.contentsOfDirectory(atPath: sets) where state.hasPrefix("state-") {
            let objects = sets + "/" + state + "/objects"
            let names = FileManager.default.enumerator(atPath: objects)
            while let name = names?.nextObject() as? String {
                let id = name.replacingOccurrences(of: "/", with: "")
                guard id.count == 40 else { continue }
                let bare = try sandbox.repository("reader")
                try? FileManager.default.createDirectory(
                    atPath: bare + "/.git/objects/" + id.prefix(2),
                    withIntermediateDirectories: true
                )
                try? FileManager.default.copyItem(atPath: objects + "/" + name, toPath: bare + "/.git/objects/" + name)
                if try sandbox.text(["cat-file", "-p", id], in: bare).contains(text) { return true }
            }
        }
        return false
    }

    @Test func secretsAreNamedAndNotKept() throws {
        let sandbox = try Sandbox()
        sandbox.secrets = [".env", "key.pem"]
        let path = try repository(sandbox)
        try "TOKEN=two\n".write(toFile: path + "/.env")
        #expect(try ChangesTests.begin(path, sandbox))
        #expect(try !isKept("TOKEN", sandbox))
        // What was not committed is committed: the file is the same.
        try sandbox.git(["commit", "-q", "-a", "-m", "two"], in: path)
        #expect(ChangesTests.lines(try ChangesTests.changes(sandbox)).isEmpty)
        try "TOKEN=three\n".write(toFile: path + "/.env")
        try "private\n".write(toFile: path + "/key.pem")
        try "two\n".write(toFile: path + "/a.txt")
        let answer = try ChangesTests.changes(sandbox) { $0.hasHunks = true }
        #expect(ChangesTests.lines(answer) == ["M .env - -", "M a.txt 1 1", "A key.pem - -"])
        #expect(answer["files"]?.array?.map { $0["is_sensitive"]?.bool ?? false } == [true, false, true])
        #expect(answer["files"]?.array?.map { $0["hunks"] != nil } == [false, true, false])
        #expect(answer["complete"] == .bool(true))
        #expect(try !isKept("TOKEN", sandbox) && !isKept("private", sandbox))
        #expect(try isKept("two", sandbox))
        // A file that is hidden only now was kept before, and is not shown.
        sandbox.secrets.insert("a.txt")
        let hidden = try ChangesTests.changes(sandbox) { $0.path = try? GitPath(checking: Array("a.txt".utf8)) }
        #expect(ChangesTests.lines(hidden) == ["M a.txt - -"] && hidden["files"]?.array?[0]["hunks"] == nil)
    }

    @Test func contentsBeyondTheLimitAreKnownByTheirSize() throws {
        let sandbox = try Sandbox()
        let path = try repository(sandbox)
        let large = path + "/large"
        try "".write(toFile: large)
        try #require(FileHandle(forWritingAtPath: large)).truncate(atOffset: 257 << 20)
        #expect(try ChangesTests.begin(path, sandbox))
        let same = try ChangesTests.changes(sandbox)
        #expect(ChangesTests.lines(same).isEmpty && same["reason"] == .string("untracked_too_large"))
        try #require(FileHandle(forWritingAtPath: large)).truncate(atOffset: 258 << 20)
        try "two\n".write(toFile: path + "/a.txt")
        let answer = try ChangesTests.changes(sandbox) { $0.hasHunks = true }
        #expect(ChangesTests.lines(answer) == ["M a.txt 1 1", "M large - -"])
        #expect(answer["files"]?.array?[1]["is_unsaved"] == .bool(true) && answer["complete"] == .bool(false))
    }

    @Test func withoutARepositoryThereIsNone() throws {
        let sandbox = try Sandbox()
        let path = sandbox.root + "/plain"
        try "x\n".write(toFile: path + "/x")
        #expect(try !ChangesTests.begin(path, sandbox))
        let answer = try ChangesTests.changes(sandbox)
        #expect(answer["complete"] == .bool(false) && answer["reason"] == .string("not_a_repository"))
        #expect(answer["files"] == .array([]) && answer["base"] == .null)
        #expect(
            try ChangesTests.changes(sandbox) { $0.sessionID = "0197c1d2-5f00-7000-8000-000000000009" }["reason"]
                == .string("no_baseline")
        )
    }

    @Test func aLateBaselineSaysSo() throws {
        let sandbox = try Sandbox()
        let path = try repository(sandbox)
        #expect(try ChangesTests.begin(path, sandbox, isLate: true))
        let answer = try ChangesTests.changes(sandbox)
        #expect(answer["reason"] == .string("baseline_late") && answer["base"]?["is_late"] == .bool(true))
        // A session has one baseline.
        #expect(try ChangesTests.begin(path, sandbox))
        #expect(try ChangesTests.changes(sandbox)["reason"] == .string("baseline_late"))
    }

    @Test func objectsThatGitHasRemovedAreMissed() throws {
        let sandbox = try Sandbox()
        let path = try repository(sandbox)
        try "staged\n".write(toFile: path + "/b.txt")
        try sandbox.git(["add", "b.txt"], in: path)
        #expect(try ChangesTests.begin(path, sandbox))
        try "other\n".write(toFile: path + "/b.txt")
        try sandbox.git(["add", "b.txt"], in: path)
        try sandbox.git(["prune", "--expire=now"], in: path)
        let answer = try ChangesTests.changes(sandbox) { $0.hasHunks = true }
        #expect(answer["reason"] == .string("pruned_objects"))
        #expect(ChangesTests.lines(answer) == ["M b.txt - -"])
    }

    @Test func conflictsAndOddKindsAreTaken() throws {
        let sandbox = try Sandbox()
        let path = try repository(sandbox)
        try sandbox.git(["checkout", "-q", "-b", "x"], in: path)
        try "theirs\n".write(toFile: path + "/a.txt")
        try sandbox.git(["commit", "-q", "-a", "-m", "x"], in: path)
        try sandbox.git(["checkout", "-q", "main"], in: path)
        try "ours\n".write(toFile: path + "/a.txt")
        try sandbox.git(["commit", "-q", "-a", "-m", "y"], in: path)
        try sandbox.git(["merge", "-q", "x"], in: path, allowsFailure: true)
        #expect(try ChangesTests.begin(path, sandbox))
        #expect(ChangesTests.lines(try ChangesTests.changes(sandbox)).isEmpty)
        // A file becomes a directory, and a directory a link; a FIFO and a repository inside do not count.
        try FileManager.default.removeItem(atPath: path + "/a.txt")
        try "inner\n".write(toFile: path + "/a.txt/inner")
        #expect(mkfifo(path + "/fifo", 0o600) == 0)
        let inner = try sandbox.repository("repo/inside")
        try "x\n".write(toFile: inner + "/x")
        #expect(ChangesTests.lines(try ChangesTests.changes(sandbox)) == ["D a.txt 0 5", "A a.txt/inner 1 0"])
    }

    @Test func aHostileRepositoryRunsNothing() throws {
        let sandbox = try Sandbox()
        sandbox.trusted = []
        let (path, mark) = try HostileRepositoryTests.hostile(sandbox)
        #expect(try ChangesTests.begin(path, sandbox))
        try "three\n".write(toFile: path + "/a.txt")
        try "new\n".write(toFile: path + "/b.txt")
        let answer = try ChangesTests.changes(sandbox) { $0.hasHunks = true }
        #expect(ChangesTests.lines(answer) == ["M a.txt 1 1", "A b.txt 1 0"])
        #expect(answer["files"]?.array?[0].list("hunks") == ["@@ -1 +1 @@\n-two\n+three\n"])
        #expect(!FileManager.default.fileExists(atPath: mark))
    }

    @Test func whatIsErasedIsGone() throws {
        let sandbox = try Sandbox()
        let path = try repository(sandbox)
        #expect(try ChangesTests.begin(path, sandbox))
        let store = ChangeStore(sandbox.settings)
        #expect(store.sessions(unusedFor: 1).isEmpty && store.sessions(unusedFor: 0) == [ChangesTests.session])
        store.erase("../..")
        store.erase(ChangesTests.session)
        #expect(try FileManager.default.contentsOfDirectory(atPath: sandbox.state + "/changes").isEmpty)
    }
}

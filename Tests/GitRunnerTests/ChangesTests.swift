import Foundation
import GitRunner
import JSON
import Testing

/// The change set of a session: what differs between its baseline and a later state of the work tree.
@Suite(.timeLimit(.minutes(5))) struct ChangesTests {
    static let session = "0197c1d2-5f00-7000-8000-000000000001"

    static func begin(_ path: String, _ sandbox: Sandbox, isLate: Bool = false) throws -> Bool {
        let session = ChangeStore.Session(id: session, directory: path, startedAt: 1, isLate: isLate)
        return try ChangeStore(sandbox.settings).begin(session, seconds: 60)
    }

    static func changes(_ sandbox: Sandbox, _ change: (inout ChangeQuery) -> Void = { _ in }) throws -> JSONValue {
        var query = ChangeQuery(sessionID: session)
        change(&query)
        return try ChangeStore(sandbox.settings).changes(query, ChangeLists(), seconds: 60)
    }

    /// Such as `M a.txt 1 2`.
    static func lines(_ answer: JSONValue) -> [String] {
        (answer["files"]?.array ?? []).map { file in
            var words = [file["status"]?.string?.prefix(1).uppercased() ?? "?"]
            words += ["old_path", "path"].compactMap { file[$0]?.string }
            words += ["additions", "deletions"].map { file[$0]?.integer.map(String.init) ?? "-" }
            return words.joined(separator: " ")
        }
    }

    private func repository(_ sandbox: Sandbox, _ files: [String: String]) throws -> String {
        let path = try sandbox.repository()
        for (name, text) in files { try text.write(toFile: path + "/" + name) }
        try sandbox.git(["add", "-A"], in: path)
        try sandbox.git(["commit", "-q", "-m", "one"], in: path)
        return path
    }

    private func remove(_ path: String) throws { try FileManager.default.removeItem(atPath: path) }

    private func makeExecutable(_ path: String) throws {
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: path)
    }

    /// Everything in the git directory, byte by byte.
    private func gitDirectory(_ path: String) throws -> [String: Data] {
        var files: [String: Data] = [:]
        let names = FileManager.default.enumerator(atPath: path + "/.git")
        while let name = names?.nextObject() as? String {
            files[name] = FileManager.default.contents(atPath: path + "/.git/" + name) ?? Data()
        }
        return files
    }

    @Test func onlyWhatChangedSinceTheBeginningIsSaid() throws {
        let sandbox = try Sandbox()
        let path = try repository(
            sandbox,
            ["a.txt": "one\n", "gone": "gone\n", "run.sh": "run\n", "old name": "1\n2\n3\n4\n5\n", "dirty": "x\n"]
        )
        // Changed, staged and new before the session: none of its changes.
        try "x\ny\n".write(toFile: path + "/dirty")
        try "staged\n".write(toFile: path + "/staged")
        try sandbox.git(["add", "staged"], in: path)
        try "before\n".write(toFile: path + "/untracked")
        let before = try (gitDirectory(path), Snapshot.files(in: path))
        #expect(try ChangesTests.begin(path, sandbox))
        #expect(ChangesTests.lines(try ChangesTests.changes(sandbox)).isEmpty)
        #expect(try gitDirectory(path) == before.0)
        #expect(try Snapshot.files(in: path) == before.1)

        try "one\ntwo\n".write(toFile: path + "/a.txt")
        try remove(path + "/gone")
        try makeExecutable(path + "/run.sh")
        try FileManager.default.moveItem(atPath: path + "/old name", toPath: path + "/new name")
        try Data([0, 1, 2]).write(to: URL(fileURLWithPath: path + "/picture"))
        try FileManager.default.createSymbolicLink(atPath: path + "/link", withDestinationPath: "a.txt")
        try "before\nafter\n".write(toFile: path + "/untracked")
        let answer = try ChangesTests.changes(sandbox)
        #expect(
            ChangesTests.lines(answer) == [
                "M a.txt 1 0", "D gone 0 1", "A link 1 0", "R old name new name 0 0", "A picture - -",
                "M run.sh 0 0", "M untracked 1 0",
            ]
        )
        let files = answer["files"]?.array ?? []
        #expect(files[2]["is_symlink"] == .bool(true) && files[2]["new_mode"] == .string("120000"))
        #expect(files[4]["binary"] == .bool(true))
        #expect(files[5]["old_mode"] == .string("100644") && files[5]["new_mode"] == .string("100755"))
        let totals = answer["totals"]
        #expect(totals?["files"] == .integer(7) && totals?["additions"] == .integer(3))
        #expect(
            totals?["added"] == .integer(2) && totals?["renamed"] == .integer(1) && totals?["binary"] == .integer(1)
        )
        #expect(answer["complete"] == .bool(true) && answer["reason"] == .null)
        #expect(answer["base"]?["branch"] == .string("main") && answer["repo_root"] == .string(path))
    }

    @Test func aCommitOfTheSessionChangesNothingOfIt() throws {
        let sandbox = try Sandbox()
        let path = try repository(sandbox, ["a.txt": "one\n"])
        #expect(try ChangesTests.begin(path, sandbox))
        try "two\n".write(toFile: path + "/a.txt")
        try "new\n".write(toFile: path + "/b.txt")
        let expected = ["M a.txt 1 1", "A b.txt 1 0"]
        #expect(ChangesTests.lines(try ChangesTests.changes(sandbox)) == expected)
        try sandbox.git(["add", "-A"], in: path)
        #expect(ChangesTests.lines(try ChangesTests.changes(sandbox)) == expected)
        try sandbox.git(["commit", "-q", "-m", "two"], in: path)
        let answer = try ChangesTests.changes(sandbox)
        #expect(ChangesTests.lines(answer) == expected)
        #expect(answer["base"]?["commit"] != answer["end"]?["commit"])
        try sandbox.git(["checkout", "-q", "-b", "other", "HEAD~"], in: path)
        #expect(ChangesTests.lines(try ChangesTests.changes(sandbox)).isEmpty)
    }

    @Test func anUnbornBranchHasABaseline() throws {
        let sandbox = try Sandbox()
        let path = try sandbox.repository()
        #expect(try ChangesTests.begin(path, sandbox))
        try "new\n".write(toFile: path + "/a.txt")
        let answer = try ChangesTests.changes(sandbox)
        #expect(ChangesTests.lines(answer) == ["A a.txt 1 0"])
        #expect(answer["base"]?["commit"] == .null && answer["base"]?["branch"] == .string("main"))
    }

    @Test func theStateOfAStopStays() throws {
        let sandbox = try Sandbox()
        let path = try repository(sandbox, ["a.txt": "one\n"])
        #expect(try ChangesTests.begin(path, sandbox))
        try "two\n".write(toFile: path + "/a.txt")
        #expect(try ChangeStore(sandbox.settings).stop(ChangesTests.session, seconds: 60))
        try "three\n".write(toFile: path + "/b.txt")
        let stop = try ChangesTests.changes(sandbox) { $0.isNow = false }
        #expect(ChangesTests.lines(stop) == ["M a.txt 1 1"] && stop["end"]?["at"] == .string("stop"))
        let now = try ChangesTests.changes(sandbox)
        #expect(ChangesTests.lines(now) == ["M a.txt 1 1", "A b.txt 1 0"] && now["end"]?["at"] == .string("now"))
        #expect(ChangesTests.lines(try ChangesTests.changes(sandbox) { $0.isNow = false }) == ["M a.txt 1 1"])
    }

    @Test func theHunksAreThoseOfGit() throws {
        let sandbox = try Sandbox()
        let long = (0..<200).map { "line \($0)\n" }.joined()
        let path = try repository(sandbox, ["a.txt": long, "b.txt": "b\n"])
        #expect(try ChangesTests.begin(path, sandbox))
        let changed = long.replacingOccurrences(of: "line 10\n", with: "ten\n")
            .replacingOccurrences(of: "line 150\n", with: "")
        try changed.write(toFile: path + "/a.txt")
        try "c\n".write(toFile: path + "/b.txt")
        let answer = try ChangesTests.changes(sandbox) { $0.path = try? GitPath(checking: Array("a.txt".utf8)) }
        let file = answer["files"]?.array?.first
        #expect(answer["files"]?.array?.count == 1 && answer["totals"]?["files"] == .integer(2))
        #expect(file?.list("hunks").map { $0.prefix(13) } == ["@@ -8,7 +8,7 ", "@@ -148,7 +14"])
        let patch = (file?["header"]?.string ?? "") + (file?.list("hunks").joined() ?? "")
        #expect(patch == (try sandbox.text(["diff", "--full-index", "a.txt"], in: path)))
        let all = try ChangesTests.changes(sandbox) { $0.hasHunks = true }
        #expect(all["files"]?.array?.map { $0.list("hunks").count } == [2, 1])
    }

    @Test func longPatchesComeInParts() throws {
        let sandbox = try Sandbox()
        let lines = (0..<60_000).map { "line \($0)\n" }
        let path = try repository(sandbox, ["a.txt": lines.joined()])
        #expect(try ChangesTests.begin(path, sandbox))
        let changed = lines.enumerated().map { $0.offset % 20 == 0 ? "changed \($0.offset)\n" : $0.element }
        try changed.joined().write(toFile: path + "/a.txt")
        var (text, offset, end, parts) = ("", 0, nil as String?, 0)
        while true {
            let answer = try ChangesTests.changes(sandbox) { query in
                query.path = try? GitPath(checking: Array("a.txt".utf8))
                (query.offset, query.end) = (offset, end)
            }
            let file = try #require(answer["files"]?.array?.first)
            #expect(file.list("hunks").allSatisfy { $0.hasPrefix("@@ ") })
            if text.isEmpty { text = file["header"]?.string ?? "" }
            text += file.list("hunks").joined()
            end = answer["end"]?["id"]?.string
            parts += 1
            guard let next = file["next_offset"]?.integer else { break }
            offset = Int(next)
        }
        #expect(parts > 1)
        #expect(text == (try sandbox.text(["diff", "--full-index", "a.txt"], in: path)))
    }

    @Test func filesComeInPagesOfOneState() throws {
        let sandbox = try Sandbox()
        let path = try repository(sandbox, ["a": "a\n"])
        #expect(try ChangesTests.begin(path, sandbox))
        for number in 100..<125 { try "x\n".write(toFile: path + "/f\(number)") }
        let first = try ChangesTests.changes(sandbox) { $0.limit = 10 }
        #expect(first["next_cursor"]?.string?.hasSuffix(".10") == true && first["has_more"] == .bool(true))
        let end = try #require(first["end"]?["id"]?.string)
        var names = first.list("files", "path")
        for skip in [10, 20] {
            let page = try ChangesTests.changes(sandbox) { ($0.limit, $0.skips, $0.end) = (10, skip, end) }
            names += page.list("files", "path")
        }
        #expect(names == (100..<125).map { "f\($0)" })
        _ = try ChangesTests.changes(sandbox)
        #expect(throws: GitError.changedMeanwhile("The state of the work tree")) {
            try ChangesTests.changes(sandbox) { $0.end = end }
        }
    }

    @Test func aFileThatGitIgnoresByNowIsNotDeleted() throws {
        let sandbox = try Sandbox()
        let path = try repository(sandbox, ["a": "a\n", "tracked": "t\n"])
        try "notes\n".write(toFile: path + "/notes")
        #expect(try ChangesTests.begin(path, sandbox))
        try "notes\ntracked\n".write(toFile: path + "/.gitignore")
        try sandbox.git(["rm", "-q", "--cached", "tracked"], in: path)
        #expect(ChangesTests.lines(try ChangesTests.changes(sandbox)) == ["A .gitignore 2 0"])
    }

    @Test func aSubmoduleCountsByItsCommit() throws {
        let sandbox = try Sandbox()
        let other = try sandbox.repository("other")
        try "s\n".write(toFile: other + "/s")
        try sandbox.git(["add", "-A"], in: other)
        try sandbox.git(["commit", "-q", "-m", "s"], in: other)
        let path = try sandbox.repository()
        try sandbox.git(["submodule", "--quiet", "add", other, "sub"], in: path)
        try sandbox.git(["commit", "-q", "-m", "submodule"], in: path)
        #expect(try ChangesTests.begin(path, sandbox))
        try "changed\n".write(toFile: path + "/sub/s")
        #expect(ChangesTests.lines(try ChangesTests.changes(sandbox)).isEmpty)
        try sandbox.git(["commit", "-q", "-a", "-m", "t"], in: path + "/sub")
        let answer = try ChangesTests.changes(sandbox)
        #expect(ChangesTests.lines(answer) == ["M sub - -"])
        #expect(answer["files"]?.array?.first?["is_submodule"] == .bool(true))
    }
}

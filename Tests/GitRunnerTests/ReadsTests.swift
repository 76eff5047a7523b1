import Foundation
import GitRunner
import JSON
import Testing

@Suite(.timeLimit(.minutes(5))) struct ReadsTests {
    @Test func aLongDiffIsCutByFileAndSaysSo() async throws {
        let sandbox = try Sandbox()
        let path = try sandbox.repository()
        for name in ["a", "b", "c"] { try "x\n".write(toFile: path + "/" + name) }
        try sandbox.git(["add", "-A"], in: path)
        try sandbox.git(["commit", "-q", "-m", "x"], in: path)
        let long = (0..<20_000).map { "line \($0)\n" }.joined()
        for name in ["a", "b", "c"] { try long.write(toFile: path + "/" + name) }
        let diff = try await sandbox.run(.diff(DiffRequest()), in: path)
        let cut = (diff["diffs"]?.array ?? []).map { $0["is_truncated"] == .bool(true) }
        #expect(cut == [false, true, true] && diff["is_truncated"] == .bool(true))
        #expect(diff["diffs"]?.array?.map { $0["additions"]?.integer } == [20_000, 20_000, 20_000])
        // The rest comes page by page.
        var request = DiffRequest()
        request.path = try GitPath("b")
        request.limit = 100_000
        var text = ""
        while true {
            let page = try await sandbox.run(.diff(request), in: path)
            text += page["diff"]?.string ?? ""
            guard let next = page["next_offset"]?.integer else { break }
            request.offset = Int(next)
        }
        #expect(text == (try sandbox.text(["diff", "--full-index", "b"], in: path)))
    }

    @Test func aNewFileHasADiff() async throws {
        let sandbox = try Sandbox()
        let path = try sandbox.repository()
        try "one\ntwo\n".write(toFile: path + "/-new")
        var request = DiffRequest()
        request.path = try GitPath("-new")
        let diff = try await sandbox.run(.diff(request), in: path)
        #expect(diff["is_new"] == .bool(true) && diff["additions"]?.integer == 2)
        #expect(diff["diff"]?.string?.hasSuffix("+one\n+two\n") == true)
    }

    @Test func namesThatAreNotUTF8SurviveARoundTrip() async throws {
        let sandbox = try Sandbox()
        let path = try sandbox.repository()
        let name: [UInt8] = [0x66, 0xFF, 0x6F]
        let file = open(
            (Array(path.utf8) + [0x2F] + name).map { CChar(bitPattern: $0) } + [0],
            O_CREAT | O_WRONLY,
            0o644
        )
        try #require(file >= 0)
        close(file)
        let status = try await sandbox.run(.status, in: path)
        let entry = try #require(status["untracked"]?.array?.first)
        #expect(entry["path"]?.string == "f\u{FFFD}o")
        #expect(entry["path_b64"]?.string != nil)
        _ = try await sandbox.run(.stage([try GitPath(checking: name)]), in: path)
        #expect(try sandbox.git(["ls-files", "-z"], in: path) == Data(name + [0]))
    }

    @Test func aBareRepositoryIsRead() async throws {
        let sandbox = try Sandbox()
        let path = try sandbox.repository()
        try sandbox.git(["commit", "-q", "--allow-empty", "-m", "x"], in: path)
        try sandbox.git(["clone", "-q", "--bare", path, sandbox.root + "/bare"], in: sandbox.root)
        for trusted in [nil, []] as [Set<String>?] {
            sandbox.trusted = trusted
            let status = try await sandbox.run(.status, in: sandbox.root + "/bare")
            #expect(status["is_bare"] == .bool(true) && status["branch"]?.string == "main")
            let log = try await sandbox.run(.log(LogRequest()), in: sandbox.root + "/bare")
            #expect(log.list("commits", "subject") == ["x"])
        }
        sandbox.trusted = nil
        await #expect(throws: GitError.self) {
            try await sandbox.run(.stage([try GitPath("a")]), in: sandbox.root + "/bare")
        }
    }

    @Test func aLinkedWorktreeIsRead() async throws {
        let sandbox = try Sandbox()
        let path = try sandbox.repository()
        try sandbox.git(["commit", "-q", "--allow-empty", "-m", "x"], in: path)
        try sandbox.git(["worktree", "add", "-q", sandbox.root + "/linked", "-b", "side"], in: path)
        let linked = sandbox.root + "/linked"
        try "x".write(toFile: linked + "/new")
        for trusted in [nil, []] as [Set<String>?] {
            sandbox.trusted = trusted
            let status = try await sandbox.run(.status, in: linked)
            #expect(status["branch"]?.string == "side" && status.list("untracked", "path") == ["new"])
            #expect(try await sandbox.run(.branches, in: linked)["current"]?.string == "side")
        }
        sandbox.trusted = nil
        #expect(try await sandbox.run(.worktrees, in: path).list("worktrees", "branch") == ["main", "side"])
    }

    /// A project may be a directory of a repository.
    @Test func theRepositoryOfADirectoryAboveIsFound() async throws {
        let sandbox = try Sandbox()
        let path = try sandbox.repository()
        try "x".write(toFile: path + "/sub/new")
        let status = try await sandbox.run(.status, in: path + "/sub")
        #expect(status["repo_root"]?.string == path && status.list("untracked", "path") == ["sub/new"])
    }

    @Test func aRepositoryOfOtherObjectIdsIsRead() async throws {
        let sandbox = try Sandbox()
        let path = sandbox.root + "/r"
        try sandbox.git(["init", "-q", "--object-format=sha256", path], in: sandbox.root)
        try "x\n".write(toFile: path + "/a")
        try sandbox.git(["add", "-A"], in: path)
        try sandbox.git(["commit", "-q", "-m", "x"], in: path)
        sandbox.trusted = []
        let log = try await sandbox.run(.log(LogRequest()), in: path)
        #expect(log.list("commits", "sha").first?.utf8.count == 64)
        #expect(try await sandbox.run(.show("HEAD", DiffRequest()), in: path).list("diffs", "path") == ["a"])
    }

    @Test func readingWritesNothing() async throws {
        let sandbox = try Sandbox()
        let path = try sandbox.repository()
        try "x\n".write(toFile: path + "/a")
        try sandbox.git(["add", "-A"], in: path)
        try sandbox.git(["commit", "-q", "-m", "x"], in: path)
        // The index is stale: git would write it anew.
        try "x\n".write(toFile: path + "/a")
        let index = try Data(contentsOf: URL(fileURLWithPath: path + "/.git/index"))
        for trusted in [nil, []] as [Set<String>?] {
            sandbox.trusted = trusted
            _ = try await sandbox.run(.status, in: path)
            _ = try await sandbox.run(.diff(DiffRequest()), in: path)
        }
        #expect(try Data(contentsOf: URL(fileURLWithPath: path + "/.git/index")) == index)
        #expect(try FileManager.default.contentsOfDirectory(atPath: sandbox.state).isEmpty)
    }
}

import Foundation
import GitRunner
import JSON
import Testing

@Suite(.timeLimit(.minutes(5))) struct WritesTests {
    private func lines(_ numbers: Range<Int>, _ changed: Set<Int> = []) -> String {
        numbers.map { changed.contains($0) ? "changed \($0)\n" : "line \($0)\n" }.joined()
    }

    private func committed(_ sandbox: Sandbox, _ text: String) throws -> String {
        let path = try sandbox.repository()
        try text.write(toFile: path + "/a")
        try sandbox.git(["add", "-A"], in: path)
        try sandbox.git(["commit", "-q", "-m", "one"], in: path)
        return path
    }

    // MARK: Hunks

    @Test func hunksAreTakenAlone() async throws {
        let sandbox = try Sandbox()
        let path = try committed(sandbox, lines(0..<60))
        let all = "new\nnew\n" + lines(0..<60, [20, 50])
        try all.write(toFile: path + "/a")
        func request(_ action: HunkRequest.Action, _ index: Int) async throws -> HunkRequest {
            var diff = DiffRequest()
            diff.path = try GitPath("a")
            diff.against = action == .unstage ? .staged : .workTree
            let answer = try await sandbox.run(.diff(diff), in: path)
            let headings = (answer["diff"]?.string ?? "").split(separator: "\n").filter { $0.hasPrefix("@@") }
            return HunkRequest(
                action: action,
                path: try GitPath("a"),
                base: answer["base"]?.string ?? "",
                target: answer["target"]?.string,
                hunks: [String(headings[index])]
            )
        }
        func staged() throws -> String { try sandbox.text(["show", ":a"], in: path) }
        _ = try await sandbox.run(.hunks(try await request(.stage, 2)), in: path)
        #expect(try staged() == lines(0..<60, [50]))
        _ = try await sandbox.run(.hunks(try await request(.stage, 0)), in: path)
        #expect(try staged() == "new\nnew\n" + lines(0..<60, [50]))
        _ = try await sandbox.run(.hunks(try await request(.unstage, 1)), in: path)
        #expect(try staged() == "new\nnew\n" + lines(0..<60))
        let done = try await sandbox.run(.hunks(try await request(.discard, 1)), in: path)
        #expect(try String(contentsOfFile: path + "/a", encoding: .utf8) == "new\nnew\n" + lines(0..<60, [20]))
        _ = try await sandbox.run(.undo(try #require(done["undo"]?.string)), in: path)
        #expect(try String(contentsOfFile: path + "/a", encoding: .utf8) == all)
    }

    @Test func hunksOfAFileThatHasChangedAreRefused() async throws {
        let sandbox = try Sandbox()
        let path = try committed(sandbox, lines(0..<9))
        try lines(0..<9, [4]).write(toFile: path + "/a")
        var diff = DiffRequest()
        diff.path = try GitPath("a")
        let answer = try await sandbox.run(.diff(diff), in: path)
        let text = answer["diff"]?.string ?? ""
        let hunk = String(text[(text.range(of: "@@")?.lowerBound ?? text.startIndex)...])
        let heading = String(hunk.split(separator: "\n")[0])
        let base = answer["base"]?.string ?? ""
        let changed = GitError.changedMeanwhile("a")
        func run(_ base: String, _ target: String?, _ hunks: [String]) async throws {
            let request = HunkRequest(action: .stage, path: try GitPath("a"), base: base, target: target, hunks: hunks)
            _ = try await sandbox.run(.hunks(request), in: path)
        }
        await #expect(throws: changed) { try await run(String(repeating: "1", count: 40), nil, [heading]) }
        await #expect(throws: changed) { try await run(base, String(repeating: "1", count: 40), [heading]) }
        await #expect(throws: changed) { try await run(base, nil, ["@@ -7,2 +7,2 @@"]) }
        // The same lines, with another text.
        try lines(0..<9, [4]).replacingOccurrences(of: "changed", with: "other").write(toFile: path + "/a")
        await #expect(throws: changed) { try await run(base, nil, [hunk]) }
        #expect(try sandbox.text(["diff", "--cached", "--name-only"], in: path).isEmpty)
    }

    // MARK: Commits and branches

    @Test func aCommitIsMadeAndPushed() async throws {
        let sandbox = try Sandbox()
        let path = try committed(sandbox, "a\n")
        let bare = sandbox.root + "/bare"
        try sandbox.git(["init", "-q", "--bare", bare], in: sandbox.root)
        try sandbox.git(["remote", "add", "origin", bare], in: path)
        #expect(try await sandbox.run(.state, in: path)["state"]?.string == "no_push")
        let first = try await sandbox.run(.push(GitRepository.PushRequest()), in: path)
        #expect(first["message"]?.string == "Pushed to origin/main" && first["commits_pushed"]?.integer == 1)
        #expect(try await sandbox.run(.state, in: path)["state"]?.string == "synced")
        try "b\n".write(toFile: path + "/a")
        _ = try await sandbox.run(.stage([try GitPath("a")]), in: path)
        var commit = GitRepository.CommitRequest(message: "--all\n\nwith ünïcode")
        commit.pushes = true
        let done = try await sandbox.run(.commit(commit), in: path)
        #expect(done["message"]?.string == "Committed and pushed to origin/main")
        #expect(done["files_committed"]?.integer == 1 && done["pushed"] == .bool(true))
        #expect(try sandbox.text(["log", "-1", "--format=%B"], in: bare) == "--all\n\nwith ünïcode\n\n")
        await #expect(throws: GitError.self) { try await sandbox.run(.commit(commit), in: path) }
    }

    @Test func aPushThatFailsLeavesTheCommit() async throws {
        let sandbox = try Sandbox()
        let path = try committed(sandbox, "a\n")
        try sandbox.git(["remote", "add", "origin", sandbox.root + "/nowhere"], in: path)
        try "b\n".write(toFile: path + "/a")
        _ = try await sandbox.run(.stage([try GitPath("a")]), in: path)
        var commit = GitRepository.CommitRequest(message: "two")
        commit.pushes = true
        let done = try await sandbox.run(.commit(commit), in: path)
        #expect(done["success"] == .bool(true) && done["pushed"] == .bool(false))
        #expect(done["push_error"]?.string?.contains("nowhere") == true)
        #expect(try sandbox.text(["log", "--format=%s"], in: path) == "two\none\n")
    }

    @Test func conflictsOfAPullAreSaid() async throws {
        let sandbox = try Sandbox()
        let path = try committed(sandbox, "a\n")
        try sandbox.git(["clone", "-q", path, sandbox.root + "/other"], in: sandbox.root)
        let other = sandbox.root + "/other"
        try "b\n".write(toFile: path + "/a")
        try sandbox.git(["commit", "-q", "-am", "b"], in: path)
        #expect(try await sandbox.run(.fetch(remote: nil, prunes: true), in: other)["new_commits"]?.integer == 1)
        #expect(try await sandbox.run(.pull(rebases: false), in: other)["commits_pulled"]?.integer == 1)
        try "c\n".write(toFile: path + "/a")
        try sandbox.git(["commit", "-q", "-am", "c"], in: path)
        try "d\n".write(toFile: other + "/a")
        try sandbox.git(["commit", "-q", "-am", "d"], in: other)
        let pull = try await sandbox.run(.pull(rebases: false), in: other)
        #expect(pull["success"] == .bool(false) && pull["error"]?.string == "Merge conflict")
        #expect(pull.list("conflicted_files") == ["a"])
        #expect(try await sandbox.run(.state, in: other)["state"]?.string == "conflict")
        let commit = GitRepository.CommitRequest(message: "x")
        do {
            _ = try await sandbox.run(.commit(commit), in: other)
            Issue.record("there is a conflict")
        } catch GitError.conflict(let said) {
            #expect(said.contains("unmerged files"))
        }
        await #expect(throws: GitError.conflict("error: path 'a' is unmerged")) {
            try await sandbox.run(.discard([try GitPath("a")]), in: other)
        }
        _ = try await sandbox.run(.abortMerge, in: other)
        #expect(try await sandbox.run(.state, in: other)["operation"]?.string == "")
    }

    @Test func branchesAreMadeSwitchedAndDeleted() async throws {
        let sandbox = try Sandbox()
        let path = try committed(sandbox, "a\n")
        let made = try await sandbox.run(.checkout("feature/new", creates: true), in: path)
        #expect(made["branch"]?.string == "feature/new")
        #expect(made["message"]?.string == "Switched to a new branch 'feature/new'")
        try "b\n".write(toFile: path + "/a")
        try sandbox.git(["commit", "-q", "-am", "b"], in: path)
        try "c\n".write(toFile: path + "/a")
        let refused = try await sandbox.run(.checkout("main", creates: false), in: path)
        #expect(refused["success"] == .bool(false))
        #expect(refused["error"]?.string?.contains("would be overwritten by checkout") == true)
        let stash = try await sandbox.run(.stash(message: "mine", includesUntracked: false), in: path)
        #expect(stash["success"] == .bool(true))
        let list = try await sandbox.run(.stashes, in: path)
        #expect(list.list("stashes", "message") == ["mine"] && list.list("stashes", "branch") == ["feature/new"])
        #expect(try await sandbox.run(.checkout("main", creates: false), in: path)["success"] == .bool(true))
        await #expect(throws: GitError.self) {
            try await sandbox.run(.deleteBranch("feature/new", isForced: false), in: path)
        }
        let merge = try await sandbox.run(.merge("feature/new", noFastForward: true, message: "joined"), in: path)
        #expect(merge["success"] == .bool(true))
        #expect(try sandbox.text(["log", "-1", "--format=%s"], in: path) == "joined\n")
        #expect(try FileManager.default.contentsOfDirectory(atPath: sandbox.state).isEmpty)
        _ = try await sandbox.run(.deleteBranch("feature/new", isForced: false), in: path)
        _ = try await sandbox.run(.stashVerb(.pop, 0), in: path)
        #expect(try String(contentsOfFile: path + "/a", encoding: .utf8) == "c\n")
        await #expect(throws: GitError.self) { try await sandbox.run(.stashVerb(.drop, 0), in: path) }
    }

    @Test func aRepositoryIsMade() async throws {
        let sandbox = try Sandbox()
        let path = sandbox.root + "/fresh"
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        #expect(try await sandbox.run(.state, in: path)["state"]?.string == "no_git")
        await #expect(throws: GitError.notARepository) { try await sandbox.run(.status, in: path) }
        _ = try await sandbox.run(.create(branch: "trunk"), in: path)
        #expect(try await sandbox.run(.status, in: path)["branch"]?.string == "trunk")
        await #expect(throws: GitError.self) { try await sandbox.run(.create(branch: nil), in: path) }
    }

    // MARK: One writer at a time

    @Test func aSecondWriterWaitsAndThenGivesUp() async throws {
        let writers = GitWriters(seconds: 0.2)
        let (holds, held) = (AsyncStream.makeStream(of: Void.self), AsyncStream.makeStream(of: Void.self))
        async let first: Void = writers.withTurn("/r") { () async throws(GitError) in
            held.continuation.yield()
            for await _ in holds.stream { break }
        }
        for await _ in held.stream { break }
        await #expect(throws: GitError.busy("Another command still writes in this repository.")) {
            try await writers.withTurn("/r") { () async throws(GitError) in }
        }
        try await writers.withTurn("/other") { () async throws(GitError) in }
        holds.continuation.yield()
        try await first
        try await writers.withTurn("/r") { () async throws(GitError) in }
    }

    @Test func aLockOfAnotherGitIsLeftAlone() async throws {
        let sandbox = try Sandbox()
        let path = try committed(sandbox, "a\n")
        try "b\n".write(toFile: path + "/a")
        try "".write(toFile: path + "/.git/index.lock")
        do {
            _ = try await sandbox.run(.stage([try GitPath("a")]), in: path)
            Issue.record("the index is locked")
        } catch GitError.busy(let said) {
            #expect(said.contains("index.lock"))
        }
        #expect(FileManager.default.fileExists(atPath: path + "/.git/index.lock"))
    }

    // MARK: Discarding

    @Test func anUndoDoesNotOverwriteLaterWork() async throws {
        let sandbox = try Sandbox()
        let path = try committed(sandbox, "a\n")
        try "b\n".write(toFile: path + "/a")
        let done = try await sandbox.run(.discard([try GitPath(".")]), in: path)
        let id = try #require(done["undo"]?.string)
        try "later\n".write(toFile: path + "/a")
        await #expect(throws: GitError.changedMeanwhile("a")) { try await sandbox.run(.undo(id), in: path) }
        try "a\n".write(toFile: path + "/a")
        _ = try await sandbox.run(.undo(id), in: path)
        #expect(try String(contentsOfFile: path + "/a", encoding: .utf8) == "b\n")
        // Once more does nothing.
        _ = try await sandbox.run(.undo(id), in: path)
        await #expect(throws: GitError.self) { try await sandbox.run(.undo("dsc_/../../../../../../x"), in: path) }
    }

    @Test func discardThatCannotBeKeptIsRefusedAndLeavesNothing() async throws {
        let sandbox = try Sandbox()
        let path = try committed(sandbox, "a\n")
        func discard() async throws -> JSONValue {
            try "12345678\n".write(toFile: path + "/a")
            return try await sandbox.run(.discard([try GitPath("a")]), in: path)
        }
        sandbox.discardCapacity = 12
        let id = try #require(try await discard()["undo"]?.string)
        await #expect(throws: GitError.self) { try await discard() }
        #expect(try String(contentsOfFile: path + "/a", encoding: .utf8) == "12345678\n")
        #expect(try FileManager.default.contentsOfDirectory(atPath: sandbox.state + "/discards") == [id])
    }

    @Test func whatWasDiscardedIsForgottenAfterThirtyDays() async throws {
        let sandbox = try Sandbox()
        let path = try committed(sandbox, "a\n")
        func discard() async throws -> String {
            try "b\n".write(toFile: path + "/a")
            return try await sandbox.run(.discard([try GitPath("a")]), in: path)["undo"]?.string ?? ""
        }
        let old = try await discard()
        sandbox.now += 31 * 86_400_000
        let new = try await discard()
        #expect(try FileManager.default.contentsOfDirectory(atPath: sandbox.state + "/discards") == [new])
        #expect(old != new)
    }
}

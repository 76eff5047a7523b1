import Foundation
import GitRunner
import JSON
import Testing

/// What the module says and does, against what git itself says and does, on generated repositories.
@Suite(.timeLimit(.minutes(10))) struct GeneratedRepositoryTests {
    private static let count = ProcessInfo.processInfo.environment["GIT_REPOSITORIES"].flatMap { Int($0) } ?? 50

    @Test(arguments: 0..<count) func agreesWithGit(_ seed: Int) async throws {
        let sandbox = try Sandbox()
        let path = try GeneratedRepository(seed, sandbox).path
        try await status(path, sandbox)
        try await diffs(path, sandbox)
        try await log(path, sandbox)
        try await branches(path, sandbox)
        // Reading has changed nothing, and reads the same where nobody trusts the folder.
        let status = try await sandbox.run(.status, in: path)
        sandbox.trusted = []
        let plain = try await sandbox.run(.status, in: path)
        for part in ["staged", "untracked", "conflicted"] { #expect(plain[part] == status[part]) }
        #expect(plain["branch"] == status["branch"] && plain["upstream"] == status["upstream"])
        sandbox.trusted = nil
        try await writes(path, sandbox)
    }

    /// Against plumbing commands, and not the command that the module uses.
    private func status(_ path: String, _ sandbox: Sandbox) async throws {
        let status = try await sandbox.run(.status, in: path)
        func fields(_ words: [String]) throws -> [String] {
            try sandbox.git(words, in: path).split(separator: 0).map { String(decoding: $0, as: UTF8.self) }
        }
        try sandbox.git(["update-index", "-q", "--refresh"], in: path, allowsFailure: true)
        let unmerged = Set(try fields(["diff", "--name-only", "--diff-filter=U", "-z"]))
        #expect(Set(status.list("conflicted", "path")) == unmerged)
        let others = try fields(["ls-files", "-o", "--exclude-standard", "-z"])
        #expect(Set(status.list("untracked", "path")) == Set(others))
        let staged = try fields(["diff", "--cached", "--name-only", "--no-renames", "--diff-filter=u", "-z"])
        let renamed = (status["staged"]?.array ?? []).filter { $0["status"] == .string("R") }
        let said = Set(status.list("staged", "path")).union(renamed.compactMap { $0["old_path"]?.string })
        #expect(said == Set(staged).subtracting(unmerged))
        let unstaged = Set(try fields(["diff-files", "--name-only", "-z"])).subtracting(unmerged)
        #expect(Set(status.list("unstaged", "path")) == unstaged)
        let head = try? sandbox.text(["rev-parse", "--verify", "-q", "HEAD"], in: path).dropLast()
        #expect(status["head"]?.string == head.map(String.init) ?? "")
        #expect(status["has_commits"]?.bool == (head?.isEmpty == false))
        for (name, words) in [("staged", ["--cached"]), ("unstaged", [])] {
            var sums: [Int64] = [0, 0]
            let lines = try sandbox.text(["diff", "--numstat", "--no-renames"] + words, in: path)
            for line in lines.split(separator: "\n") {
                for (index, word) in line.split(separator: "\t").prefix(2).enumerated() {
                    sums[index] += Int64(word) ?? 0
                }
            }
            guard unmerged.isEmpty, renamed.isEmpty else { continue }
            let counted = ["additions", "deletions"].map { part in
                (status[name]?.array ?? []).reduce(Int64(0)) { $0 + ($1[part]?.integer ?? 0) }
            }
            #expect(counted == sums)
        }
    }

    private func diffs(_ path: String, _ sandbox: Sandbox) async throws {
        let kinds: [(DiffRequest.Against, [String])] = [(.workTree, ["--ours"]), (.staged, ["--cached"])]
        for (against, words) in kinds {
            var request = DiffRequest()
            request.against = against
            let diff = try await sandbox.run(.diff(request), in: path)
            let plain = ["-c", "core.quotePath=false", "diff", "--full-index", "-M"]
            let text = try sandbox.git(plain + words, in: path)
            let said = diff.list("diffs", "diff").joined()
            let isMerged = try sandbox.text(["ls-files", "-u"], in: path).isEmpty
            if isMerged { #expect(said == String(decoding: text, as: UTF8.self)) }
            let names = try sandbox.git(["diff", "--name-only", "-z"] + words, in: path)
                .split(separator: 0).map { String(decoding: $0, as: UTF8.self) }
            #expect(Set(diff.list("diffs", "path")) == Set(names))
            // Each patch alone is what git says of that file.
            for item in (diff["diffs"]?.array ?? []).prefix(3) where item["status"]?.string == "M" {
                var one = request
                one.path = try GitPath(item["path"]?.string ?? "")
                let alone = try await sandbox.run(.diff(one), in: path)
                #expect(alone["diff"] == item["diff"])
                #expect(alone["base"] == item["base"])
            }
        }
    }

    private func log(_ path: String, _ sandbox: Sandbox) async throws {
        var request = LogRequest()
        request.isGraph = true
        let log = try await sandbox.run(.log(request), in: path)
        let commits = log["commits"]?.array ?? []
        guard (try? sandbox.text(["rev-parse", "-q", "--verify", "HEAD"], in: path))?.isEmpty == false else {
            #expect(commits.isEmpty)
            return
        }
        let ids = try sandbox.text(["rev-list", "--topo-order", "HEAD"], in: path)
            .split(separator: "\n").map(String.init)
        #expect(log.list("commits", "sha") == ids)
        #expect(log["total_count"]?.integer == Int64(ids.count))
        for commit in commits {
            let id = commit["sha"]?.string ?? ""
            let parents = try sandbox.text(["rev-list", "--parents", "-n", "1", id], in: path)
                .split { $0 == " " || $0 == "\n" }
            #expect(commit.list("parent_shas") == parents.dropFirst().map(String.init))
        }
        try lanes(commits)
        // A page says what the whole says of the same commits.
        request.offset = 1
        request.limit = 2
        let page = try await sandbox.run(.log(request), in: path)
        func places(_ commits: some Sequence<JSONValue>) -> [JSONValue?] {
            commits.flatMap { [$0["sha"], $0["graph_position"]] }
        }
        #expect(places(page["commits"]?.array ?? []) == places(commits.dropFirst().prefix(2)))
    }

    /// Each line that leaves a row downwards arrives at a commit that the row's commit, or one above it, has as parent.
    private func lanes(_ commits: [JSONValue]) throws {
        var waits: [Int64: String] = [:]
        for commit in commits {
            let id = commit["sha"]?.string ?? ""
            let column = commit["graph_position"]?["column"]?.integer ?? -1
            #expect(waits[column] == nil || waits[column] == id)
            for (lane, other) in waits where other == id { waits[lane] = nil }
            let parents = commit.list("parent_shas")
            var left = Set(parents)
            for line in commit["graph_position"]?["lines"]?.array ?? [] where line["from_column"]?.integer == column {
                let to = line["to_column"]?.integer ?? -1
                if let known = waits[to] {
                    #expect(left.remove(known) != nil)
                } else if let parent = parents.first(where: { left.contains($0) && !waits.values.contains($0) }) {
                    left.remove(parent)
                    waits[to] = parent
                }
            }
            #expect(left.isEmpty)
        }
    }

    private func branches(_ path: String, _ sandbox: Sandbox) async throws {
        let branches = try await sandbox.run(.branches, in: path)
        let locals = try sandbox.text(["branch", "--format=%(refname)"], in: path).split(separator: "\n")
            .filter { $0.hasPrefix("refs/heads/") }.map { String($0.dropFirst(11)) }
        let said = (branches["branches"]?.array ?? []).filter { $0["is_remote"] == .bool(false) }
        #expect(said.compactMap { $0["name"]?.string } == locals)
        let current = try sandbox.text(["branch", "--show-current"], in: path).dropLast()
        #expect(branches["current"]?.string ?? "" == current)
        if let upstream = branches["upstream"]?.string, !upstream.isEmpty {
            let counts = try sandbox.text(["rev-list", "--left-right", "--count", "HEAD...@{u}"], in: path)
                .split { $0 == "\t" || $0 == "\n" }.map { Int64($0) }
            #expect([branches["ahead"]?.integer, branches["behind"]?.integer] == counts)
        }
    }

    // MARK: Writes

    private func writes(_ path: String, _ sandbox: Sandbox) async throws {
        let status = try await sandbox.run(.status, in: path)
        let unstaged = status.list("unstaged", "path") + status.list("untracked", "path")
        let some = unstaged.enumerated().filter { $0.offset % 2 == 0 }.map(\.element)
        let copy = path + "-copy"
        func compare(_ request: GitRequest, _ words: [[String]]) async throws {
            try? FileManager.default.removeItem(atPath: copy)
            try FileManager.default.copyItem(atPath: path, toPath: copy)
            // Copies have other times, and would all be read again.
            try sandbox.git(["update-index", "-q", "--refresh"], in: copy, allowsFailure: true)
            _ = try await sandbox.run(request, in: path)
            for line in words { try sandbox.git(line, in: copy) }
            let (mine, theirs) = (try Snapshot(path, sandbox), try Snapshot(copy, sandbox))
            #expect(mine == theirs)
        }
        let paths = try some.map { try GitPath($0) }
        if !paths.isEmpty {
            try await compare(.stage(paths), [["--literal-pathspecs", "add", "-A", "--"] + some])
            try await compare(.unstage(paths), [["--literal-pathspecs", "reset", "-q", "--"] + some])
        }
        try await discards(path, copy, sandbox)
    }

    private func discards(_ path: String, _ copy: String, _ sandbox: Sandbox) async throws {
        let status = try await sandbox.run(.status, in: path)
        let submodules = Set(
            try sandbox.text(["ls-files", "-s"], in: path).split(separator: "\n")
                .filter { $0.hasPrefix("160000") }.map { String($0.split(separator: "\t")[1]) }
        )
        let changed = status.list("unstaged", "path").filter { !submodules.contains($0) }
        let new = status.list("untracked", "path").filter { !$0.hasSuffix("/") }
        guard !changed.isEmpty || !new.isEmpty else { return }
        try? FileManager.default.removeItem(atPath: copy)
        try FileManager.default.copyItem(atPath: path, toPath: copy)
        let before = try Snapshot(path, sandbox)
        let done = try await sandbox.run(.discard(try (changed + new).map { try GitPath($0) }), in: path)
        #expect(Set(done.list("discarded")) == Set(changed + new))
        if !new.isEmpty { try sandbox.git(["--literal-pathspecs", "clean", "-f", "-q", "--"] + new, in: copy) }
        if !changed.isEmpty { try sandbox.git(["--literal-pathspecs", "checkout", "-q", "--"] + changed, in: copy) }
        #expect(try Snapshot(path, sandbox) == Snapshot(copy, sandbox))
        let undone = try await sandbox.run(.undo(try #require(done["undo"]?.string)), in: path)
        #expect(undone["success"] == .bool(true))
        #expect(try Snapshot(path, sandbox) == before)
    }
}

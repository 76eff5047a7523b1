package import JSON
internal import MachinePolicy

/// The state of a repository in one word.
package enum GitState: String, Sendable {
    case noRepository = "no_git"
    /// No commits yet.
    case initialized = "git_init"
    case noRemote = "no_remote"
    /// The branch has no upstream.
    case notPushed = "no_push"
    case synced
    case diverged
    case conflict
}

extension GitRepository {
    private static let mostEntries = 2000
    /// The bytes of all lists together. A message to the server has room for no more.
    private static let mostBytes = 500 << 10
    private static let statusLimit = 8 << 20

    /// What `git status` says, and the names of the remotes. Git looks for both at the same time.
    private func reportAndRemotes(untracked: String = "all") throws(GitError) -> (StatusReport, [String]) {
        let (output, settings) = try readBoth(try statusCommand(untracked), GitRepository.remoteSettings)
        return (StatusReport(output.bytes, isCut: output.isCut), GitRepository.remotes(in: settings).map(\.name))
    }

    /// What `git status` says.
    package func report(untracked: String = "all") throws(GitError) -> StatusReport {
        let command = try statusCommand(untracked)
        let output = try read(command.words, command.arguments, command.needs)
        return StatusReport(output.bytes, isCut: output.isCut)
    }

    private func statusCommand(_ untracked: String) throws(GitError) -> Command {
        _ = try requireWorkTree()
        // Work trees of submodules are not looked into where their settings could name programs.
        let submodules = isTrusted ? [] : ["--ignore-submodules=dirty"]
        var needs = Needs()
        needs.outputLimit = GitRepository.statusLimit
        let words = [
            "status", "--porcelain=v2", "--branch", "-z", "--untracked-files=\(untracked)", "--renames",
            "--ahead-behind", "--no-show-stash",
        ]
        return (words + submodules, [], needs)
    }

    package func status() throws(GitError) -> JSONValue {
        guard place.workTree != nil else { return try bareStatus() }
        let (report, remotes) = try reportAndRemotes()
        let staged = report.entries.filter { $0.staged != "." }
        let unstaged = report.entries.filter { $0.unstaged != "." }
        let (stagedCounts, unstagedCounts) = try counts(
            staged: staged.flatMap(\.paths),
            unstaged: unstaged.flatMap(\.paths) + report.conflicts.map(\.path)
        )
        func entry(
            _ path: GitPath,
            _ status: String,
            _ counts: [GitPath: NumberedChanges.Count] = [:],
            old: GitPath? = nil
        ) -> JSONValue {
            var members = path.members() + [("status", .string(status))]
            if let old { members += old.members("old_path") }
            if let count = counts[path], let additions = count.additions, let deletions = count.deletions {
                members += [("additions", .integer(Int64(additions))), ("deletions", .integer(Int64(deletions)))]
            } else if counts[path] != nil {
                members.append(("is_binary", .bool(true)))
            }
            if hides(path) { members.append(("is_sensitive", .bool(true))) }
            return .object(members)
        }
        var room = AnswerRoom(entries: GitRepository.mostEntries, bytes: GitRepository.mostBytes)
        let conflicted = room.kept(report.conflicts, \.path).map { conflict in
            entry(conflict.path, "U") + [("conflict", .string(conflict.kind))]
        }
        let stagedItems = room.kept(staged, \.path).map {
            entry($0.path, "\($0.staged)", stagedCounts, old: $0.oldPath)
        }
        let unstagedItems = room.kept(unstaged, \.path).map {
            entry($0.path, "\($0.unstaged)", unstagedCounts, old: $0.staged == "." ? $0.oldPath : nil)
        }
        let untracked = room.kept(report.untracked, \.self).map { entry($0, "?") }
        return .object(
            common(report, remotes) + [
                ("staged", .array(stagedItems)), ("unstaged", .array(unstagedItems)),
                ("untracked", .array(untracked)), ("conflicted", .array(conflicted)),
                ("is_clean", .bool(report.entries.isEmpty && report.untracked.isEmpty && report.conflicts.isEmpty)),
                ("is_truncated", .bool(report.isCut || room.isExceeded)),
            ]
        )
    }

    private static let mostChangedFiles = 1000

    /// What a row of a list or a notice says of a repository.
    package func summary() throws(GitError) -> JSONValue {
        let (report, remotes) =
            place.workTree == nil ? (try bareReport(), try remotes().map(\.name)) : try reportAndRemotes()
        var paths: [GitPath] = report.conflicts.map(\.path)
        paths += report.entries.map(\.path) + report.untracked
        var room = AnswerRoom(entries: GitRepository.mostChangedFiles, bytes: 256 << 10)
        let shown = room.kept(paths, \.self).map { JSONValue.string($0.text) }
        let staged = report.entries.count { $0.staged != "." }
        let unstaged = report.entries.count { $0.unstaged != "." } + report.conflicts.count
        return .object(
            common(report, remotes) + [
                ("has_remotes", .bool(!remotes.isEmpty)), ("staged_count", .integer(Int64(staged))),
                ("unstaged_count", .integer(Int64(unstaged))),
                ("untracked_count", .integer(Int64(report.untracked.count))),
                ("changed_files", .array(shown)),
                ("is_truncated", .bool(report.isCut || room.isExceeded)),
            ]
        )
    }

    private func bareStatus() throws(GitError) -> JSONValue {
        let report = try bareReport()
        let empty = ["staged", "unstaged", "untracked", "conflicted"].map { ($0, JSONValue.array([])) }
        return .object(common(report, try remotes().map(\.name)) + empty + [("is_bare", .bool(true))])
    }

    private func bareReport() throws(GitError) -> StatusReport {
        var report = StatusReport([])
        report.branch = try? read(["symbolic-ref", "--short", "-q", "HEAD"]).line
        report.head = try? read(["rev-parse", "--verify", "-q", "HEAD"]).line
        return report
    }

    private func common(_ report: StatusReport, _ remotes: [String]) -> [(String, JSONValue)] {
        let root = place.root
        let name = root.split(separator: "/").last.map(String.init) ?? root
        return [
            ("branch", .string(report.branch ?? "")), ("is_detached", .bool(report.branch == nil)),
            ("head", .string(report.head ?? "")), ("upstream", .string(report.upstream ?? "")),
            ("ahead", .integer(Int64(report.ahead ?? 0))), ("behind", .integer(Int64(report.behind ?? 0))),
            ("has_conflicts", .bool(!report.conflicts.isEmpty)), ("is_git_repo", .bool(true)),
            ("has_commits", .bool(report.head != nil)), ("state", .string(state(report, remotes).rawValue)),
            ("operation", .string(operation ?? "")), ("remotes", .array(remotes.map(JSONValue.string))),
            ("is_trusted", .bool(isTrusted)), ("repo_name", .string(name)), ("repo_root", .string(root)),
        ]
    }

    private func state(_ report: StatusReport, _ remotes: [String]) -> GitState {
        if !report.conflicts.isEmpty { return .conflict }
        if report.head == nil { return .initialized }
        if remotes.isEmpty { return .noRemote }
        guard report.upstream != nil, let ahead = report.ahead, let behind = report.behind else { return .notPushed }
        return ahead == 0 && behind == 0 ? .synced : .diverged
    }

    /// The state in a word, and what it is made of.
    package func state() throws(GitError) -> JSONValue {
        let (report, remotes) =
            place.workTree == nil
            ? (StatusReport([]), try remotes().map(\.name)) : try reportAndRemotes(untracked: "no")
        let state = state(report, remotes)
        let remote = report.upstream?.split(separator: "/").first.map(String.init) ?? remotes.first ?? ""
        return .object([
            ("state", .string(state.rawValue)), ("is_git_repo", .bool(true)),
            ("has_remote", .bool(!remotes.isEmpty)), ("has_upstream", .bool(report.upstream != nil)),
            ("branch", .string(report.branch ?? "")), ("remote", .string(remote)),
            ("upstream", .string(report.upstream ?? "")), ("ahead", .integer(Int64(report.ahead ?? 0))),
            ("behind", .integer(Int64(report.behind ?? 0))), ("has_conflicts", .bool(!report.conflicts.isEmpty)),
            ("has_commits", .bool(report.head != nil)), ("operation", .string(operation ?? "")),
            ("is_trusted", .bool(isTrusted)),
        ])
    }

    /// The state of a folder without a repository.
    package static let noRepository = JSONValue.object([
        ("state", .string(GitState.noRepository.rawValue)), ("is_git_repo", .bool(false)),
        ("has_remote", .bool(false)), ("has_upstream", .bool(false)), ("branch", .string("")),
        ("remote", .string("")), ("upstream", .string("")), ("ahead", .integer(0)), ("behind", .integer(0)),
        ("has_conflicts", .bool(false)), ("has_commits", .bool(false)), ("operation", .string("")),
        ("is_trusted", .bool(false)),
    ])

    /// What was begun and has not ended.
    private var operation: String? {
        let marks = [
            ("rebase-merge", "rebase"), ("rebase-apply", "rebase"), ("MERGE_HEAD", "merge"),
            ("CHERRY_PICK_HEAD", "cherry-pick"), ("REVERT_HEAD", "revert"), ("BISECT_LOG", "bisect"),
        ]
        return marks.first { SmallFile.realPath(place.gitDirectory + "/" + $0.0) != nil }?.1
    }

    /// So many paths are named to git, which then looks at no other file. Among more it looks for each file.
    private static let mostNamed = 200

    private typealias Counts = [GitPath: NumberedChanges.Count]

    /// The lines that were added and removed.
    private func counts(staged: [GitPath], unstaged: [GitPath]) throws(GitError) -> (Counts, Counts) {
        let (cached, plain) = (countCommand(["--cached"], of: staged), countCommand([], of: unstaged))
        if !staged.isEmpty, !unstaged.isEmpty {
            let (one, other) = try readBoth(cached, plain)
            return (NumberedChanges.read(one.bytes), NumberedChanges.read(other.bytes))
        }
        if staged.isEmpty, unstaged.isEmpty { return ([:], [:]) }
        let command = staged.isEmpty ? plain : cached
        let counts = NumberedChanges.read(try read(command.words, command.arguments, command.needs).bytes)
        return staged.isEmpty ? ([:], counts) : (counts, [:])
    }

    private func countCommand(_ words: [String], of paths: [GitPath]) -> Command {
        let named = paths.count <= GitRepository.mostNamed ? [Array("--".utf8)] + paths.map(\.bytes) : []
        let submodules = isTrusted ? [] : ["--ignore-submodules=dirty"]
        let fixed = ["diff", "--numstat", "-z", "-M", "--no-ext-diff", "--no-textconv", "--no-color"]
        return (fixed + words + submodules, named, Needs())
    }

    /// Whether the machine's file does not show the contents.
    func hides(_ path: GitPath) -> Bool {
        settings.hides((place.workTree ?? place.gitDirectory) + "/" + path.text)
    }
}

/// Adds members to an object.
func + (value: JSONValue, more: [(String, JSONValue)]) -> JSONValue {
    guard case .object(let members) = value else { return value }
    return .object(members + more)
}

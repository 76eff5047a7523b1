package import JSON

extension GitRepository {
    package func pull(rebases: Bool) throws(GitError) -> JSONValue {
        try requireTrust()
        _ = try requireWorkTree()
        let before = try read(["rev-parse", "--verify", "-q", "HEAD"], [], tolerant).line
        let branch = try currentBranch()
        let remote = try remote(nil, of: branch)
        let words = ["pull", "--no-edit", rebases ? "--rebase" : "--no-rebase", "--no-recurse-submodules"]
        do throws(GitError) {
            _ = try write(words, [], try networking(runsHooks: true))
        } catch .conflict(let said) {
            return try conflicts(said, "Merge conflict")
        }
        let after = try read(["rev-parse", "--verify", "-q", "HEAD"], [], tolerant).line
        var members: [(String, JSONValue)] = [
            ("success", .bool(true)), ("message", .string("Pulled from \(remote)/\(branch ?? "HEAD")")),
        ]
        if !before.isEmpty, !after.isEmpty {
            let count = try read(["rev-list", "--count", "\(before)..\(after)"]).line
            let files = try read(["diff", "--name-only", "--no-ext-diff", "-z", before, after, "--"]).bytes
            members += [
                ("commits_pulled", .integer(Int64(count) ?? 0)),
                ("files_changed", .integer(Int64(files.count { $0 == 0 }))),
            ]
        }
        return .object(members)
    }

    private var tolerant: Needs {
        var needs = Needs()
        needs.accepts = [1, 128]
        return needs
    }

    /// The result of a command that has left conflicts. If it has left none, git refused to begin.
    func conflicts(_ said: String, _ title: String) throws(GitError) -> JSONValue {
        let conflicts = try report(untracked: "no").conflicts
        guard !conflicts.isEmpty else { throw .failed(said) }
        return .object([
            ("success", .bool(false)), ("error", .string(title)), ("message", .string(said)),
            ("conflicted_files", .array(conflicts.map { .string($0.path.text) })),
        ])
    }

    package func fetch(remote name: String?, prunes: Bool) throws(GitError) -> JSONValue {
        try requireTrust()
        let remote = try remote(name, of: try currentBranch())
        let before = try branchList()
        let words =
            ["fetch", "--no-recurse-submodules", "--no-auto-gc"] + (prunes ? ["--prune"] : []) + ["--", remote]
        _ = try write(words, [], try networking(runsHooks: false))
        let after = try branchList()
        let known = Set(before.filter(\.isRemote).map(\.name))
        let present = Set(after.filter(\.isRemote).map(\.name))
        var new = 0
        for branch in after.filter(\.isRemote) where branch.name.hasPrefix(remote + "/") {
            guard let old = before.first(where: { $0.isRemote && $0.name == branch.name }), old.commit != branch.commit
            else { continue }
            new += Int(try read(["rev-list", "--count", "\(old.commit)..\(branch.commit)"]).line) ?? 0
        }
        func names(_ set: Set<String>) -> JSONValue { .array(set.sorted().map(JSONValue.string)) }
        return .object([
            ("success", .bool(true)), ("message", .string("Fetched from \(remote)")),
            ("new_commits", .integer(Int64(new))), ("new_branches", names(present.subtracting(known))),
            ("pruned_branches", names(known.subtracting(present))),
        ])
    }
}

package import JSON

extension GitRepository {
    /// Switches branches. A remote's branch becomes a local one that follows it.
    package func checkout(_ branch: String, creates: Bool) throws(GitError) -> JSONValue {
        try requireTrust()
        _ = try requireWorkTree()
        let name = try GitName.checked(branch, "branch")
        let known = try branchList()
        var words = ["switch", "--no-recurse-submodules"]
        if creates {
            words += ["--create", name]
        } else if !known.contains(where: { !$0.isRemote && $0.name == name }),
            let remote = known.first(where: { $0.isRemote && $0.name == name })
        {
            let local = remote.name.split(separator: "/", maxSplits: 1).last.map(String.init) ?? name
            let exists = known.contains { !$0.isRemote && $0.name == local }
            words += exists ? [local] : ["--track", name]
        } else {
            words += ["--guess", name]
        }
        let output: GitOutput
        do throws(GitError) {
            output = try write(words, [], .writing(runsHooks: true))
        } catch .failed(let said) {
            return .object([
                ("success", .bool(false)), ("branch", .string(try currentBranch() ?? "")), ("error", .string(said)),
            ])
        }
        let words2 = GitWords.shown(output.errors).split(separator: "\n").map(String.init)
        let said = words2.first { $0.hasPrefix("Switched") || $0.hasPrefix("Already") } ?? words2.first ?? ""
        let current = try currentBranch() ?? ""
        return .object([("success", .bool(true)), ("branch", .string(current)), ("message", .string(said))])
    }

    package func createBranch(_ branch: String, from: String?) throws(GitError) -> JSONValue {
        try requireTrust()
        let name = try GitName.checked(branch, "branch")
        let start = try from.map { from throws(GitError) in [try commit(from)] } ?? []
        _ = try write(["branch", "--no-track", "--", name] + start, [], .writing())
        return .object([("success", .bool(true)), ("branch", .string(name)), ("message", .string("Created \(name)"))])
    }

    package func deleteBranch(_ branch: String, isForced: Bool) throws(GitError) -> JSONValue {
        try requireTrust()
        let name = try GitName.checked(branch, "branch")
        let output = try write(["branch", isForced ? "-D" : "-d", "--", name], [], .writing())
        return .object([
            ("success", .bool(true)), ("branch", .string(name)), ("message", .string(GitWords.shown(output.bytes))),
            ("deleted_remote", .bool(false)),
        ])
    }

    package func setUpstream(_ branch: String?, to upstream: String) throws(GitError) -> JSONValue {
        try requireTrust()
        let current = try currentBranch()
        guard let branch = branch ?? current else { throw .failed("fatal: You are not currently on a branch.") }
        let name = try GitName.checked(branch, "branch")
        let target = try GitName.checked(upstream, "branch")
        _ = try write(["branch", "--set-upstream-to=\(target)", "--", name], [], .writing())
        return .object([
            ("success", .bool(true)), ("branch", .string(name)), ("upstream", .string(target)),
            ("message", .string("\(name) follows \(target)")),
        ])
    }

    // MARK: Merging

    package func merge(_ branch: String, noFastForward: Bool, message: String?) throws(GitError) -> JSONValue {
        try requireTrust()
        _ = try requireWorkTree()
        let name = try GitName.checked(branch, "branch")
        try requireOneMeaning(of: name)
        var words = ["merge", "--no-edit"]
        if noFastForward { words.append("--no-ff") }
        // The message goes by a file, not by the arguments, which others can see.
        let file = try message.map { text throws(GitError) in try MessageFile(text, in: stateDirectory) }
        defer { withExtendedLifetime(file) {} }
        if let file { words += ["-F", file.path] }
        do throws(GitError) {
            let output = try write(words + ["--", name], [], .writing(runsHooks: true))
            return .object([
                ("success", .bool(true)), ("message", .string(GitWords.shown(output.bytes))),
                ("sha", .string(try read(["rev-parse", "--verify", "HEAD"]).line)),
            ])
        } catch .conflict(let said) {
            return try conflicts(said, "Merge conflict")
        }
    }

    /// Git prefers a tag to a branch of the same name. What people see in lists is the branch.
    private func requireOneMeaning(of name: String) throws(GitError) {
        let id = try commit(name)
        for place in ["refs/heads/", "refs/remotes/"] {
            guard let meant = try? commit(place + name), meant != id else { continue }
            throw .invalid("'\(name)' is the name of a branch and of something else in this repository.")
        }
    }

    package func abortMerge() throws(GitError) -> JSONValue {
        _ = try write(["merge", "--abort"], [], .writing())
        return .object([("success", .bool(true)), ("message", .string("The merge is undone"))])
    }
}

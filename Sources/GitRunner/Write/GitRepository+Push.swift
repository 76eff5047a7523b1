package import JSON

extension GitRepository {
    static let networkSeconds = 120.0

    package struct PushRequest: Sendable {
        package var isForced = false
        package var setsUpstream = false
        package var remote: String?
        package var branch: String?

        package init() {}
    }

    /// Programs that connect ask nobody.
    func network() throws(GitError) -> [String] {
        var needs = Needs()
        needs.accepts = [1]
        let own = try read(["config", "--get", "core.sshCommand"], [], needs)
        guard own.status == 0, !own.line.isEmpty else { return ["GIT_SSH_COMMAND=ssh -oBatchMode=yes"] }
        let program = own.line.split(separator: " ").first?.split(separator: "/").last ?? ""
        return program == "ssh" ? ["GIT_SSH_COMMAND=\(own.line) -oBatchMode=yes"] : []
    }

    func networking(runsHooks: Bool) throws(GitError) -> Needs {
        var needs = Needs.writing(seconds: GitRepository.networkSeconds, runsHooks: runsHooks)
        needs.environment = try network()
        return needs
    }

    /// A remote of the repository. An address is none: it could name a program.
    func remote(_ name: String?, of branch: String?) throws(GitError) -> String {
        let remotes = try remotes().map(\.name)
        if let name {
            guard remotes.contains(name) else { throw .failed("fatal: '\(name)' is not a remote of this repository") }
            return name
        }
        var needs = Needs()
        needs.accepts = [1]
        if let branch {
            let set = try read(["config", "--get", "branch.\(branch).remote"], [], needs)
            if set.status == 0, remotes.contains(set.line) { return set.line }
        }
        if remotes.contains("origin") { return "origin" }
        guard remotes.count == 1 else { throw .failed("fatal: No configured push destination.") }
        return remotes[0]
    }

    package func push(_ request: PushRequest) throws(GitError) -> JSONValue {
        try requireTrust()
        let current = try currentBranch()
        let named = try request.branch.map { name throws(GitError) in try GitName.checked(name, "branch") }
        guard let branch = named ?? current else { throw .failed("fatal: You are not currently on a branch.") }
        let remote = try remote(request.remote, of: branch)
        let upstream = try branchList().first { !$0.isRemote && $0.name == branch }?.upstream
        var target = branch
        if let upstream, upstream.hasPrefix(remote + "/") { target = String(upstream.dropFirst(remote.utf8.count + 1)) }
        let ahead = try read(["rev-list", "--count", "refs/heads/\(branch)", "--not", "--remotes=\(remote)"]).line
        var words = ["push", "--porcelain"]
        if request.isForced { words.append("--force-with-lease") }
        if request.setsUpstream || upstream == nil { words.append("--set-upstream") }
        _ = try write(
            words + ["--", remote, "refs/heads/\(branch):refs/heads/\(target)"],
            [],
            try networking(runsHooks: true)
        )
        return .object([
            ("success", .bool(true)), ("message", .string("Pushed to \(remote)/\(target)")),
            ("commits_pushed", .integer(Int64(ahead) ?? 0)),
        ])
    }
}

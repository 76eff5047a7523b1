package import JSON
internal import MachinePolicy

extension GitRepository {
    struct Branch: Equatable {
        var name: String
        var isRemote: Bool
        var commit: String
        var upstream: String?
        var ahead = 0
        var behind = 0
        var isGone = false
    }

    private static let branchFormat =
        "%(refname)%00%(objectname)%00%(upstream)%00%(upstream:track,nobracket)%00%(symref)%00"

    private static let mostBranches = 1000

    func branchList() throws(GitError) -> [Branch] {
        let output = try read([
            "for-each-ref", "--format=\(GitRepository.branchFormat)", "--count=\(GitRepository.mostBranches)",
            "refs/heads", "refs/remotes",
        ])
        var branches: [Branch] = []
        var fields = Fields(output.bytes)
        while let name = fields.text(), let id = fields.text(), let upstream = fields.text(),
            let track = fields.text(), let target = fields.text()
        {
            // A line ends after the last field of a branch.
            let reference = name.hasPrefix("\n") ? String(name.dropFirst()) : name
            guard target.isEmpty else { continue }
            let isRemote = reference.hasPrefix("refs/remotes/")
            var branch = Branch(
                name: String(reference.dropFirst(isRemote ? 13 : 11)),
                isRemote: isRemote,
                commit: id,
                upstream: upstream.isEmpty ? nil : GitRepository.short(upstream)
            )
            for part in track.split(separator: ", ") {
                let words = part.split(separator: " ")
                if words.first == "ahead" { branch.ahead = words.last.flatMap { Int($0) } ?? 0 }
                if words.first == "behind" { branch.behind = words.last.flatMap { Int($0) } ?? 0 }
                if part == "gone" { branch.isGone = true }
            }
            branches.append(branch)
        }
        return branches
    }

    private static func short(_ reference: String) -> String {
        for prefix in ["refs/remotes/", "refs/heads/"] where reference.hasPrefix(prefix) {
            return String(reference.dropFirst(prefix.utf8.count))
        }
        return reference
    }

    /// nil: HEAD is detached.
    func currentBranch() throws(GitError) -> String? {
        var needs = Needs()
        needs.accepts = [1]
        let output = try read(["symbolic-ref", "-q", "HEAD"], [], needs)
        return output.status == 0 ? GitRepository.short(output.line) : nil
    }

    package func branches() throws(GitError) -> JSONValue {
        let list = try branchList()
        let name = try currentBranch()
        let current = list.first { !$0.isRemote && $0.name == name }
        let items = list.map { branch -> JSONValue in
            var members: [(String, JSONValue)] = [
                ("name", .string(branch.name)), ("is_current", .bool(!branch.isRemote && branch.name == name)),
                ("is_remote", .bool(branch.isRemote)), ("sha", .string(branch.commit)),
            ]
            if let upstream = branch.upstream {
                members += [
                    ("upstream", .string(upstream)), ("ahead", .integer(Int64(branch.ahead))),
                    ("behind", .integer(Int64(branch.behind))), ("is_gone", .bool(branch.isGone)),
                ]
            }
            return .object(members)
        }
        return .object([
            ("current", .string(name ?? "")), ("is_detached", .bool(name == nil)),
            ("upstream", .string(current?.upstream ?? "")), ("ahead", .integer(Int64(current?.ahead ?? 0))),
            ("behind", .integer(Int64(current?.behind ?? 0))), ("branches", .array(items)),
            ("is_truncated", .bool(list.count >= GitRepository.mostBranches)),
        ])
    }

    // MARK: Remotes

    struct Remote: Equatable {
        var name: String
        var fetchURL = ""
        var pushURL = ""
    }

    func remotes() throws(GitError) -> [Remote] {
        let command = GitRepository.remoteSettings
        return GitRepository.remotes(in: try read(command.words, command.arguments, command.needs))
    }

    /// The command whose output `remotes(in:)` reads.
    static var remoteSettings: Command {
        var needs = Needs()
        needs.accepts = [1]
        return (["config", "-z", "--get-regexp", #"^remote\..*\.(url|pushurl)$"#], [], needs)
    }

    static func remotes(in output: GitOutput) -> [Remote] {
        var remotes: [Remote] = []
        for entry in output.bytes.split(separator: 0) {
            let parts = entry.split(separator: UInt8(ascii: "\n"), maxSplits: 1, omittingEmptySubsequences: false)
            guard parts.count == 2 else { continue }
            let key = decoded(parts[0])
            guard let dot = key.lastIndex(of: ".") else { continue }
            let name = String(key[..<dot].dropFirst(7))
            if remotes.last?.name != name, !remotes.contains(where: { $0.name == name }) {
                remotes.append(Remote(name: name))
            }
            guard let index = remotes.firstIndex(where: { $0.name == name }) else { continue }
            let url = GitWords.masked(decoded(parts[1]))
            if key[dot...] == ".url" { remotes[index].fetchURL = url } else { remotes[index].pushURL = url }
        }
        return remotes
    }

    package func remoteList() throws(GitError) -> JSONValue {
        let tracked = try branchList().filter(\.isRemote).map(\.name)
        let items = try remotes().map { remote -> JSONValue in
            let branches = tracked.filter { $0.hasPrefix(remote.name + "/") }
            return .object([
                ("name", .string(remote.name)), ("fetch_url", .string(remote.fetchURL)),
                ("push_url", .string(remote.pushURL.isEmpty ? remote.fetchURL : remote.pushURL)),
                ("tracking_branches", .array(branches.map(JSONValue.string))),
            ])
        }
        return .object([("remotes", .array(items))])
    }

    // MARK: Stashes and worktrees

    package func stashes() throws(GitError) -> JSONValue {
        var needs = Needs()
        needs.accepts = [128]
        let output = try read(
            ["stash", "list", "-z", "--max-count=200", "--format=tformat:%gd%x00%H%x00%aI%x00%gs"],
            [],
            needs
        )
        var fields = Fields(output.bytes)
        var items: [JSONValue] = []
        while let selector = fields.text(), let id = fields.text(), let date = fields.text(),
            let text = fields.text()
        {
            let index = selector.dropFirst("stash@{".utf8.count).prefix { $0 != "}" }
            // `WIP on main: 1234567 subject` or `On main: message`
            let parts = text.split(separator: ": ", maxSplits: 1).map(String.init)
            let branch = parts.first?.split(separator: " ").last.map(String.init) ?? ""
            items.append(
                .object([
                    ("index", .integer(Int64(index) ?? 0)), ("sha", .string(id)), ("date", .string(date)),
                    ("branch", .string(parts.count == 2 ? branch : "")),
                    ("message", .string((parts.count == 2 ? parts[1] : text).cut(to: 1000))),
                ])
            )
        }
        return .object([("stashes", .array(items)), ("count", .integer(Int64(items.count)))])
    }

    package func worktrees() throws(GitError) -> JSONValue {
        guard isTrusted else {
            let branch = try currentBranch()
            return .object([
                (
                    "worktrees",
                    .array([
                        .object([
                            ("path", .string(place.root)), ("branch", .string(branch ?? "")),
                            ("is_current", .bool(true)),
                        ])
                    ])
                )
            ])
        }
        let text = try read(["worktree", "list", "--porcelain"]).text
        let items = text.split(separator: "\n\n").compactMap { block -> JSONValue? in
            var values: [Substring: Substring] = [:]
            for line in block.split(separator: "\n") {
                let words = line.split(separator: " ", maxSplits: 1)
                if let name = words.first { values[name] = words.count > 1 ? words[1] : "" }
            }
            // Where others are is nobody's business.
            guard let path = values["worktree"].map(String.init), settings.isWithinRoots(path) else { return nil }
            return .object([
                ("path", .string(path)), ("sha", .string(values["HEAD"].map(String.init) ?? "")),
                ("branch", .string(values["branch"].map { GitRepository.short(String($0)) } ?? "")),
                ("is_current", .bool(path == place.workTree)), ("is_bare", .bool(values["bare"] != nil)),
                ("is_locked", .bool(values["locked"] != nil)),
            ])
        }
        return .object([("worktrees", .array(items))])
    }
}

internal import GitRunner
internal import JSON
internal import RPC
internal import Signing

/// Reads the parameters of the commands `git/<verb>`.
enum GitVerbs {
    private typealias Reader = @Sendable (RPCParams) throws(RPCError) -> GitRequest

    static let names: [String] = Array(table.keys)

    static func request(_ verb: String, _ params: RPCParams) throws(RPCError) -> GitRequest {
        guard let read = table[verb] else { throw .methodNotFound() }
        return try read(params)
    }

    /// For the audit: names, and nothing that a person wrote or that a file contains.
    static func recorded(_ params: RPCParams) -> [(String, JSONValue)] {
        let texts = ["branch", "remote", "name", "commit", "against", "fork", "upstream", "from", "file", "undo"]
        let flags = ["force", "push", "staged", "amend", "rebase", "create", "prune"]
        var fields: [(String, JSONValue)] = []
        for name in texts {
            if let text = params.value(name)?.string { fields.append((name, .string(String(text.prefix(256))))) }
        }
        for name in flags {
            if let value = params.value(name)?.bool { fields.append((name, .bool(value))) }
        }
        let files = (params.value("files")?.array ?? []).compactMap(\.string)
        if !files.isEmpty {
            fields.append(("files", .array(files.prefix(20).map { .string(String($0.prefix(256))) })))
            fields.append(("files_count", .integer(Int64(files.count))))
        }
        return fields
    }

    private static let table: [String: Reader] = [
        "status": { _ in .status },
        "state": { _ in .state },
        "branches": { _ in .branches },
        "stash/list": { _ in .stashes },
        "remote/list": { _ in .remotes },
        "worktrees": { _ in .worktrees },
        "diff": { params throws(RPCError) in .diff(try diff(params)) },
        "log": { params throws(RPCError) in .log(try log(params)) },
        "show": { params throws(RPCError) in .show(try params.required("commit"), try diff(params)) },
        "stage": { params throws(RPCError) in try files(.stage, params) },
        "unstage": { params throws(RPCError) in try files(.unstage, params) },
        "discard": { params throws(RPCError) in try files(.discard, params) },
        "undo": { params throws(RPCError) in .undo(try params.required("undo", limit: 64)) },
        "commit": { params throws(RPCError) in
            var commit = GitRepository.CommitRequest(message: try params.required("message", limit: 64 << 10))
            commit.pushes = try params.boolean("push") ?? false
            commit.amends = try params.boolean("amend") ?? false
            return .commit(commit)
        },
        "push": { params throws(RPCError) in
            var push = GitRepository.PushRequest()
            push.isForced = try params.boolean("force") ?? false
            push.setsUpstream = try params.boolean("set_upstream") ?? false
            (push.remote, push.branch) = (try params.string("remote"), try params.string("branch"))
            return .push(push)
        },
        "pull": { params throws(RPCError) in .pull(rebases: try params.boolean("rebase") ?? false) },
        "fetch": { params throws(RPCError) in
            .fetch(remote: try params.string("remote"), prunes: try params.boolean("prune") ?? false)
        },
        "checkout": { params throws(RPCError) in
            .checkout(try params.required("branch"), creates: try params.boolean("create") ?? false)
        },
        "branch/create": { params throws(RPCError) in
            .createBranch(try params.required("branch"), from: try params.string("from"))
        },
        "branch/delete": { params throws(RPCError) in
            .deleteBranch(try params.required("branch"), isForced: try params.boolean("force") ?? false)
        },
        "upstream/set": { params throws(RPCError) in
            .setUpstream(try params.string("branch"), to: try params.required("upstream"))
        },
        "stash": { params throws(RPCError) in
            .stash(
                message: try params.string("message", limit: 1024),
                includesUntracked: try params.boolean("include_untracked") ?? false
            )
        },
        "stash/apply": { params throws(RPCError) in try stash(.apply, params) },
        "stash/pop": { params throws(RPCError) in try stash(.pop, params) },
        "stash/drop": { params throws(RPCError) in try stash(.drop, params) },
        "merge": { params throws(RPCError) in
            .merge(
                try params.required("branch"),
                noFastForward: try params.boolean("no_ff") ?? false,
                message: try params.string("message", limit: 64 << 10)
            )
        },
        "merge/abort": { _ in .abortMerge },
        "init": { params throws(RPCError) in .create(branch: try params.string("initial_branch")) },
        "remote/add": { params throws(RPCError) in
            .addRemote(
                try params.required("name"),
                url: try params.required("url", limit: 4096),
                fetches: try params.boolean("fetch") ?? false
            )
        },
        "remote/remove": { params throws(RPCError) in .removeRemote(try params.required("name")) },
    ]

    private static func files(_ action: HunkRequest.Action, _ params: RPCParams) throws(RPCError) -> GitRequest {
        if let hunks = try hunks(action, params) { return hunks }
        let paths = try paths(params)
        return switch action {
        case .stage: .stage(paths)
        case .unstage: .unstage(paths)
        case .discard: .discard(paths)
        }
    }

    private static func stash(_ verb: GitRepository.StashVerb, _ params: RPCParams) throws(RPCError) -> GitRequest {
        .stashVerb(verb, Int(try params.integer("index", in: 0...100_000) ?? 0))
    }

    private static func diff(_ params: RPCParams) throws(RPCError) -> DiffRequest {
        var diff = DiffRequest()
        diff.path = try file(params)
        if let commit = try params.string("against") {
            diff.against = .commit(commit)
        } else if let branch = try params.string("fork") {
            diff.against = .fork(branch)
        } else if try params.boolean("staged") ?? false {
            diff.against = .staged
        }
        diff.context = Int(try params.integer("context", in: 0...10_000) ?? 3)
        let most = Int64(DiffRequest.mostBytes)
        diff.limit = Int(try params.integer("limit", in: 1...most) ?? most)
        diff.offset = Int(try params.integer("offset", in: 0...Int64(1 << 30)) ?? 0)
        return diff
    }

    private static func log(_ params: RPCParams) throws(RPCError) -> LogRequest {
        var log = LogRequest()
        log.limit = Int(try params.integer("limit", in: 1...Int64(LogRequest.most)) ?? 50)
        log.offset = Int(try params.integer("offset", in: 0...Int64(LogRequest.mostOffset)) ?? 0)
        log.branch = try params.string("branch")
        log.path = try file(params)
        (log.author, log.since) = (try params.string("author"), try params.string("since"))
        log.until = try params.string("until")
        log.isGraph = try params.boolean("graph") ?? false
        return log
    }

    // MARK: Paths

    private static func file(_ params: RPCParams) throws(RPCError) -> GitPath? {
        if let text = try params.string("file_b64", limit: 8192) { return try decoded(text, "file_b64") }
        guard let text = try params.string("file", limit: 4096) else { return nil }
        return try checked(Array(text.utf8), "file")
    }

    private static func paths(_ params: RPCParams) throws(RPCError) -> [GitPath] {
        var paths: [GitPath] = []
        for (name, isEncoded) in [("files", false), ("files_b64", true)] {
            guard let value = params.value(name) else { continue }
            guard let list = value.array, list.count <= GitRepository.mostPaths else {
                throw .invalidParameter(name, "is not a list of at most \(GitRepository.mostPaths) paths")
            }
            for item in list {
                guard let text = item.string else { throw .invalidParameter(name, "is not a list of paths") }
                paths.append(try isEncoded ? decoded(text, name) : checked(Array(text.utf8), name))
            }
        }
        guard !paths.isEmpty else { throw .invalidParameter("files", "names no path") }
        return paths
    }

    private static func decoded(_ text: String, _ name: String) throws(RPCError) -> GitPath {
        guard let bytes = Base64.decode(text) else { throw .invalidParameter(name, "is not Base64") }
        return try checked(bytes, name)
    }

    private static func checked(_ bytes: [UInt8], _ name: String) throws(RPCError) -> GitPath {
        do throws(GitError) {
            return try GitPath(checking: bytes)
        } catch {
            throw .invalidParameter(name, "is not a path within the repository")
        }
    }

    /// nil: whole files are meant.
    private static func hunks(_ action: HunkRequest.Action, _ params: RPCParams) throws(RPCError) -> GitRequest? {
        guard let value = params.value("hunks") else { return nil }
        let hunks = (value.array ?? []).compactMap(\.string)
        guard let count = value.array?.count, (1...HunkRequest.most).contains(count), hunks.count == count else {
            throw .invalidParameter("hunks", "is not a list of 1 to \(HunkRequest.most) hunks")
        }
        guard let path = try file(params) else { throw .invalidParameter("file", "is required") }
        return .hunks(
            HunkRequest(
                action: action,
                path: path,
                base: try params.required("base", limit: 64),
                target: try params.string("target", limit: 64),
                hunks: hunks
            )
        )
    }
}

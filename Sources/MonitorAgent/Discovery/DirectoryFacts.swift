internal import Glibc

/// Directories of the machine as the search for projects sees them.
enum DirectoryFacts {
    /// The names of the directories in a directory, in order, without those that are links.
    static func directories(in path: String) -> [String] {
        OwnFile.names(in: path).filter { name in
            var status = stat()
            let inner = (path == "/" ? "" : path) + "/" + name
            return unsafe lstat(inner, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
        }
    }

    /// Seconds since 1970; 0 if nothing exists at the path.
    static func modified(_ path: String) -> Int64 {
        var status = stat()
        return unsafe stat(path, &status) == 0 ? Int64(status.st_mtim.tv_sec) : 0
    }

    /// Whether there is a `.git`: a directory, or the file of a worktree or a submodule.
    static func isRepository(_ path: String) -> Bool {
        var status = stat()
        guard unsafe lstat((path == "/" ? "" : path) + "/.git", &status) == 0 else { return false }
        return [S_IFDIR, S_IFREG].contains(status.st_mode & S_IFMT)
    }

    /// The conversations of Claude Code.
    ///
    /// - Parameter settings: `~/.claude`, or what is in its place.
    static func history(_ settings: String) -> ConversationHistory {
        let projects = settings + "/projects"
        var past: [String: ConversationHistory.Past] = [:]
        for name in OwnFile.names(in: projects).prefix(10_000) {
            let files = OwnFile.names(in: projects + "/" + name).filter { $0.hasSuffix(".jsonl") }
            guard !files.isEmpty else { continue }
            let newest = files.map { modified(projects + "/" + name + "/" + $0) }.max() ?? 0
            past[name] = ConversationHistory.Past(count: files.count, newest: newest)
        }
        return ConversationHistory(past)
    }
}

package import JSON

extension GitRepository {
    /// Takes back what differs from the index, and removes new files. All is saved first.
    package func discard(_ paths: [GitPath], _ store: DiscardStore) throws(GitError) -> JSONValue {
        try requireTrust()
        let workTree = try requireWorkTree()
        let report = try report()
        func isWanted(_ path: GitPath) -> Bool { paths.contains { path.isWithin($0) } }
        if let conflict = report.conflicts.first(where: { isWanted($0.path) }) {
            throw .conflict("error: path '\(conflict.path.text)' is unmerged")
        }
        // The work tree of a submodule is a repository of its own.
        let tracked = report.entries.filter { $0.unstaged != "." && !$0.isSubmodule && isWanted($0.path) }.map(\.path)
        let new = report.untracked.filter { isWanted($0) && $0.bytes.last != UInt8(ascii: "/") }
        guard !tracked.isEmpty || !new.isEmpty else { return GitRepository.done("discarded", []) }
        guard tracked.count + new.count <= GitRepository.mostPaths else {
            throw .tooLarge("More than \(GitRepository.mostPaths) files have changed. Discard some of them first.")
        }
        let entry = try store.save(tracked + new, of: self)
        for path in new { try WorkTreeFile.put(.absent, [], at: path, in: workTree) }
        try restore(tracked)
        try store.complete(entry, of: self)
        return GitRepository.done("discarded", (tracked + new).sorted(), [("undo", .string(entry.id))])
    }

    /// Whether a file of the work tree is as the index has it.
    func isAsInIndex(_ path: GitPath) throws(GitError) -> Bool {
        var needs = Needs()
        needs.accepts = [1]
        let known = try read(["ls-files", "--error-unmatch", "-z", "--"], [path.bytes], needs)
        guard known.status == 0 else { return false }
        let words = ["-c", "diff.autoRefreshIndex=true", "diff", "--no-ext-diff", "--name-only", "-z", "--"]
        return try read(words, [path.bytes]).bytes.isEmpty
    }

    package func undo(_ id: String, _ store: DiscardStore) throws(GitError) -> JSONValue {
        try requireTrust()
        let paths = try store.undo(id, of: self)
        return GitRepository.done("restored", paths.sorted())
    }
}

internal import Synchronization

/// The files that differ between the baseline of a session and a later state, sorted by path.
struct ChangeList: Sendable {
    var files: [ChangedFile] = []
    /// Objects of the repository are missing, so that the lines were not counted.
    var isPruned = false
    var isCut = false
}

/// Compares two states of a work tree.
struct ChangeComparison {
    private static let mostRenames = 400

    let repository: GitRepository
    let base: WorkTreeState
    let end: WorkTreeState
    /// The directory of the session.
    let directory: String
    /// Milliseconds since 1970 at which git is ended.
    let deadline: Int64

    /// Reads objects of both states, and writes what is made here to those of the end.
    private func place() throws(GitError) -> ObjectPlace {
        try ObjectPlace(
            making: directory + "/" + end.directory,
            others: [
                repository.place.commonDirectory + "/objects", directory + "/" + base.directory + "/objects",
            ]
        )
    }

    func list() throws(GitError) -> ChangeList {
        let place = try place()
        defer { place.removeIndex() }
        let snapshot = WorkTreeSnapshot(repository, place, deadline: deadline)
        var list = ChangeList()
        let all: GitOutput
        do throws(GitError) {
            all = try snapshot.run(ChangeComparison.words + ["--no-renames", "--raw", base.tree, end.tree])
        } catch {
            guard case .failed = error else { throw error }
            list.isPruned = true
            return list
        }
        let entries = RawChanges(all.bytes).entries
        let most = WorkTreeSnapshot.mostFiles
        list.isCut = all.isCut || entries.count > most
        let changed = entries.prefix(most).map { entry in
            var file = ChangedFile(entry)
            file.isHidden = repository.hides(file.path)
            file.isUnsaved = !file.isHidden && isUnsaved(file.path)
            return file
        }
        let withheld = changed.filter { $0.isHidden || isUnsaved($0.path) }
        list.files = changed
        guard !list.isCut else { return list }
        do throws(GitError) {
            // Git cannot read contents that are missing.
            let trees = try without(withheld.map(\.path), snapshot)
            let words = ["--raw", "--numstat", "-M", "-l\(ChangeComparison.mostRenames)", trees.base, trees.end]
            let counted = RawChanges(try snapshot.run(ChangeComparison.words + words).bytes)
            list.files = counted.entries.map { entry in
                var file = ChangedFile(entry)
                file.count = counted.counts[file.path]
                return file
            }
            list.files = (list.files + withheld).sorted { $0.path < $1.path }
        } catch {
            guard case .failed = error else { throw error }
            list.isPruned = true
        }
        return list
    }

    private static let words = ["diff-tree", "-r", "-z", "--no-ext-diff", "--no-textconv", "--no-color"]

    private func isUnsaved(_ path: GitPath) -> Bool { base.unsaved.contains(path) || end.unsaved.contains(path) }

    private func without(
        _ paths: [GitPath],
        _ snapshot: WorkTreeSnapshot
    ) throws(GitError) -> (base: String, end: String) {
        guard !paths.isEmpty else { return (base.tree, end.tree) }
        var trees: [String] = []
        for tree in [base.tree, end.tree] {
            try snapshot.load(tree)
            try snapshot.remove(paths)
            trees.append(try snapshot.tree())
        }
        return (trees[0], trees[1])
    }

    /// The patches of files whose contents are kept and shown.
    func patches(of files: [ChangedFile], context: Int) throws(GitError) -> DiffReport {
        let shown = files.filter { !$0.isHidden && !$0.isUnsaved }
        guard !shown.isEmpty else { return DiffReport([]) }
        let place = try place()
        var needs = GitRepository.Needs()
        needs.environment = place.environment
        needs.seconds = max(0.1, Double(deadline - repository.settings.now()) / 1000)
        let paths = shown.flatMap { [$0.path.bytes] + ($0.oldPath.map { [$0.bytes] } ?? []) }
        let words = ["diff"] + GitRepository.diffWords + ["-U\(context)", base.tree, end.tree, "--"]
        let output = try repository.read(words, paths, needs)
        return DiffReport(output.bytes, isCut: output.isCut)
    }
}

/// The latest lists, so that the pages of one need not be compared anew. May be used on any thread.
package final class ChangeLists: Sendable {
    private static let most = 4

    private let lists = Mutex<[(key: String, list: ChangeList)]>([])

    package init() {}

    func list(_ key: String, _ make: () throws(GitError) -> ChangeList) throws(GitError) -> ChangeList {
        if let known = lists.withLock({ lists in lists.first { $0.key == key }?.list }) { return known }
        let list = try make()
        lists.withLock { lists in
            lists.append((key, list))
            if lists.count > ChangeLists.most { lists.removeFirst() }
        }
        return list
    }
}

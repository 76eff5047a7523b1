internal import Signing

/// Makes a tree of git from a work tree as it is. Git reads a copy of the index, and writes objects only into a
/// directory of the agent's own: the work tree, the index and the refs stay as they are.
struct WorkTreeSnapshot {
    /// The contents that one state keeps.
    static let mostBytes = 256 << 20
    /// The files of one state that differ from the index.
    static let mostFiles = 20_000
    /// Files that are not shown and whose contents git compares. Each needs a process.
    private static let mostHidden = 100
    private static let mostHiddenBytes = 1 << 20
    /// Files that git cannot take. Each needs several processes to be found.
    private static let mostFailures = 20
    /// Bytes of the list of all files.
    private static let mostListed = 128 << 20

    let repository: GitRepository
    let place: ObjectPlace
    /// Milliseconds since 1970 at which git is ended.
    let deadline: Int64
    private(set) var unsaved: Set<GitPath> = []
    private(set) var isTooLarge = false
    private(set) var isCut = false
    private(set) var bytes = 0
    private var hidden = 0
    private var failures = 0

    private struct Entry {
        var path: GitPath
        /// Zero removes the path from the index.
        var mode = "0"
        var blob = ""
    }

    init(_ repository: GitRepository, _ place: ObjectPlace, deadline: Int64) {
        (self.repository, self.place, self.deadline) = (repository, place, deadline)
    }

    // MARK: What differs from the index

    mutating func addChanges() throws(GitError) {
        try place.copyIndex(of: repository.place.gitDirectory)
        try clearFlags()
        let tracked = try run(["diff-files", "--raw", "-z", "--no-renames", "--ignore-submodules=dirty"])
        let new = try run(["ls-files", "--others", "--exclude-standard", "-z"])
        isCut = isCut || tracked.isCut || new.isCut
        let changed = RawChanges(tracked.bytes).entries
        let submodules = Set(changed.filter(\.isSubmodule).map(\.path))
        var paths: [GitPath] = []
        var known: Set<GitPath> = []
        for entry in changed where known.insert(entry.path).inserted { paths.append(entry.path) }
        var fields = Fields(new.bytes)
        while let field = fields.next() {
            // A slash at the end: a repository of its own.
            guard field.last != UInt8(ascii: "/"), known.insert(GitPath(field)).inserted else { continue }
            paths.append(GitPath(field))
        }
        if paths.count > WorkTreeSnapshot.mostFiles { isCut = true }
        try add(Array(paths.prefix(WorkTreeSnapshot.mostFiles)), submodules)
    }

    /// Git would not look at files that somebody has marked as unchanged or as not there. The copy of the index loses
    /// both marks. What a sparse checkout leaves out keeps its mark, and does not count as deleted.
    private mutating func clearFlags() throws(GitError) {
        let workTree = try repository.requireWorkTree()
        let listed = try run(["ls-files", "-v", "-z"], outputLimit: WorkTreeSnapshot.mostListed)
        if listed.isCut { isCut = true }
        var (assumed, skipped): ([UInt8], [UInt8]) = ([], [])
        var fields = Fields(listed.bytes)
        while let field = fields.next() {
            // A letter, a space, and the path. A small letter: marked as unchanged.
            guard let letter = field.first, field.count > 2, letter != UInt8(ascii: "H") else { continue }
            let path = Array(field.dropFirst(2))
            if letter >= UInt8(ascii: "a") { assumed += path + [0] }
            guard letter | 0x20 == UInt8(ascii: "s"), WorkTreeFile.facts(GitPath(path), in: workTree) != nil else {
                continue
            }
            skipped += path + [0]
        }
        for (flag, paths) in [("--no-assume-unchanged", assumed), ("--no-skip-worktree", skipped)] where !paths.isEmpty
        {
            _ = try run(["update-index", flag, "-z", "--stdin"], input: paths)
        }
    }

    /// Takes files into the index as they are in the work tree.
    mutating func add(_ paths: [GitPath], _ submodules: Set<GitPath> = []) throws(GitError) {
        let workTree = try repository.requireWorkTree()
        var entries: [Entry] = []
        var saved: [GitPath] = []
        for path in paths {
            guard !submodules.contains(path) else {
                saved.append(path)
                continue
            }
            let facts = WorkTreeFile.facts(path, in: workTree)
            guard let facts, facts.kind != nil else {
                // Devices and the like do not count, and files below a directory are files of their own.
                entries.append(Entry(path: path))
                continue
            }
            if repository.hides(path) {
                unsaved.insert(path)
                entries.append(Entry(path: path, mode: facts.mode, blob: try hiddenBlob(path, facts, workTree)))
            } else if !facts.isReadable || facts.size > WorkTreeSnapshot.mostBytes - bytes {
                unsaved.insert(path)
                isTooLarge = true
                entries.append(Entry(path: path, mode: facts.mode, blob: try substitute(facts)))
            } else {
                bytes += facts.size
                saved.append(path)
            }
        }
        try put(entries)
        try save(saved[...], workTree)
    }

    /// Git takes none of the files if a filter fails for one of them. That one is then known by its size and time only.
    private mutating func save(_ paths: ArraySlice<GitPath>, _ workTree: String) throws(GitError) {
        guard let first = paths.first else { return }
        let words = ["update-index", "-z", "--add", "--remove", "--replace", "--stdin"]
        do throws(GitError) {
            _ = try run(words, input: paths.flatMap { $0.bytes + [0] })
        } catch {
            guard case .failed = error, failures < WorkTreeSnapshot.mostFailures else { throw error }
            if paths.count > 1 {
                let middle = paths.startIndex + paths.count / 2
                try save(paths[..<middle], workTree)
                return try save(paths[middle...], workTree)
            }
            guard let facts = WorkTreeFile.facts(first, in: workTree), facts.kind != nil else { throw error }
            failures += 1
            unsaved.insert(first)
            try put([Entry(path: first, mode: facts.mode, blob: try substitute(facts))])
        }
    }

    /// The blob that git would make of a file whose content is not kept.
    private mutating func hiddenBlob(
        _ path: GitPath,
        _ facts: WorkTreeFile.Facts,
        _ workTree: String
    ) throws(GitError) -> String {
        hidden += 1
        guard hidden <= WorkTreeSnapshot.mostHidden, facts.size <= WorkTreeSnapshot.mostHiddenBytes,
            let (kind, content) = WorkTreeFile.read(path, in: workTree, atMost: WorkTreeSnapshot.mostHiddenBytes)
        else { return try substitute(facts) }
        let filters = kind == .link ? [Array("--no-filters".utf8)] : [Array("--path=".utf8) + path.bytes]
        do throws(GitError) {
            return try run(["hash-object", "--stdin"], filters, input: content).line
        } catch {
            guard case .failed = error else { throw error }
            return try substitute(facts)
        }
    }

    /// Stands for a content that is not read: another one whenever the file has changed.
    private func substitute(_ facts: WorkTreeFile.Facts) throws(GitError) -> String {
        String(Hex.encode(Digest.sha256(Array(facts.version.utf8))).prefix(try blobLength()))
    }

    private func blobLength() throws(GitError) -> Int {
        try run(["rev-parse", "--show-object-format"]).line == "sha256" ? 64 : 40
    }

    private func put(_ entries: [Entry]) throws(GitError) {
        guard !entries.isEmpty else { return }
        let none = String(repeating: "0", count: try blobLength())
        let lines = entries.flatMap { entry -> [UInt8] in
            Array("\(entry.mode) \(entry.blob.isEmpty ? none : entry.blob)\t".utf8) + entry.path.bytes + [0]
        }
        _ = try run(["update-index", "-z", "--add", "--replace", "--index-info"], input: lines)
    }

    // MARK: The tree

    /// The tree of the index.
    func tree() throws(GitError) -> String {
        // Contents that are not kept are missing.
        let tree = try run(["write-tree", "--missing-ok"]).line
        guard tree.utf8.count >= 40 else { throw .failed("Git has made no tree.") }
        return tree
    }

    /// The index gets the files of a tree.
    func load(_ tree: String) throws(GitError) { _ = try run(["read-tree", tree]) }

    func remove(_ paths: [GitPath]) throws(GitError) { try put(paths.map { Entry(path: $0) }) }

    func run(
        _ words: [String],
        _ arguments: [[UInt8]] = [],
        input: [UInt8] = [],
        outputLimit: Int = GitRepository.outputLimit
    ) throws(GitError) -> GitOutput {
        let seconds = Double(deadline - repository.settings.now()) / 1000
        guard seconds > 0 else { throw .timedOut(seconds: 0) }
        var needs = GitRepository.Needs(input: input, seconds: seconds)
        needs.outputLimit = outputLimit
        needs.environment = place.environment
        let settings = [
            "core.splitIndex=false", "core.untrackedCache=false", "core.safecrlf=false", "index.sparse=false",
            // A file with the size and the time of before may be another one.
            "core.trustctime=true", "core.checkStat=default",
            // Such names are not made here.
            "core.protectNTFS=false", "core.protectHFS=false",
        ]
        return try repository.read(settings.flatMap { ["-c", $0] } + words, arguments, needs)
    }
}

internal import WorkspaceFiles

/// What git ignores of the paths that a watch has to do with. They need not exist any more.
extension GitNames {
    private static let seconds: Int32 = 5
    private static let slash = UInt8(ascii: "/")

    /// Which of the paths below the directory are ignored.
    func ignored(among paths: [[UInt8]]) -> Set<[UInt8]> {
        var found: Set<[UInt8]> = []
        for (repository, members) in grouped(paths) {
            // The command takes no literal pathspecs. A path that begins so has no other meaning.
            let here = Array("./".utf8)
            var asked: [UInt8] = []
            for path in members.keys { asked += here + path + [0] }
            let words = ["check-ignore", "-z", "--stdin"].map { Array($0.utf8) }
            for path in run(words, repository, GitNames.seconds, input: asked, isLiteral: false) {
                if let known = members[Array(path.dropFirst(here.count))] { found.insert(known) }
            }
        }
        return found
    }

    /// Which of these directories are ignored, and what is ignored below them.
    func ignored(in directories: [[UInt8]]) -> Set<[UInt8]> {
        var found: Set<[UInt8]> = []
        for (repository, members) in grouped(directories) {
            let words = GitNames.ignoredWords.map { Array($0.utf8) } + members.keys
            let base = Array(repository.files.utf8) + (repository.files == "/" ? [] : [GitNames.slash])
            for path in run(words, repository, GitNames.seconds) {
                let whole = base + (path.last == GitNames.slash ? path.dropLast() : path[...])
                let start = place.opened.realPath + (place.opened.realPath.count == 1 ? [] : [GitNames.slash])
                if whole.starts(with: start) { found.insert(Array(whole.dropFirst(start.count))) }
            }
        }
        return found
    }

    /// The paths by their repositories: each as its repository names it, and as it was asked.
    private func grouped(_ paths: [[UInt8]]) -> [(Repository, [[UInt8]: [UInt8]])] {
        var groups: [String: (repository: Repository, members: [[UInt8]: [UInt8]])] = [:]
        var known: [[[UInt8]]: Repository?] = [:]
        for path in paths {
            guard let relative = try? RelativePath(path), let name = relative.parts.last else { continue }
            let directory = Array(relative.parts.dropLast())
            let repository = known[directory] ?? self.repository(of: RelativePath(parts: directory))
            known[directory] = .some(repository)
            guard let repository else { continue }
            groups[repository.files, default: (repository, [:])].members[Array(repository.prefix.utf8) + name] = path
        }
        return groups.sorted { $0.key < $1.key }.map { $0.value }
    }
}

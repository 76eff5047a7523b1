internal import MachinePolicy

/// Where a repository is. Found by reading, without git. Paths are without links.
package struct GitPlace: Sendable, Equatable {
    /// nil: a bare repository.
    package var workTree: String?
    package var gitDirectory: String
    /// That of the repository to which a linked worktree belongs.
    package var commonDirectory: String

    /// The repository of a directory: its own, or that of a directory above it within the roots.
    ///
    /// - Parameter directory: a real path.
    package static func find(
        from directory: String,
        isWithinRoots: (String) -> Bool
    ) throws(GitError) -> GitPlace {
        var place = directory
        while isWithinRoots(place) {
            if let found = try ofWorkTree(place, isWithinRoots) { return found }
            if isRepository(place, common: place) {
                return GitPlace(workTree: nil, gitDirectory: place, commonDirectory: place)
            }
            guard place != "/" else { break }
            place = SmallFile.parent(of: place)
        }
        throw .notARepository
    }

    /// nil: the directory has no repository of its own.
    private static func ofWorkTree(
        _ workTree: String,
        _ isWithinRoots: (String) -> Bool
    ) throws(GitError) -> GitPlace? {
        let entry = workTree + "/.git"
        guard let real = SmallFile.realPath(entry) else { return nil }
        var gitDirectory = real
        if !SmallFile.isDirectory(real) {
            guard let text = SmallFile.text(entry, atMost: 4096), text.hasPrefix("gitdir: ") else { return nil }
            guard let named = SmallFile.realPath(absolute(line(text.dropFirst(8)), from: workTree)) else { return nil }
            gitDirectory = named
        }
        let common = try commonDirectory(of: gitDirectory)
        for place in [gitDirectory, common] where !isWithinRoots(place) { throw .outsideRoots(place) }
        guard isRepository(gitDirectory, common: common) else { return nil }
        return GitPlace(workTree: workTree, gitDirectory: gitDirectory, commonDirectory: common)
    }

    private static func commonDirectory(of gitDirectory: String) throws(GitError) -> String {
        guard let text = SmallFile.text(gitDirectory + "/commondir", atMost: 4096) else { return gitDirectory }
        guard let common = SmallFile.realPath(absolute(line(text[...]), from: gitDirectory)) else {
            throw .notARepository
        }
        return common
    }

    private static func isRepository(_ gitDirectory: String, common: String) -> Bool {
        SmallFile.text(gitDirectory + "/HEAD", atMost: 4096) != nil && SmallFile.isDirectory(common + "/objects")
            && SmallFile.isDirectory(common + "/refs")
    }

    private static func line(_ text: Substring) -> String {
        text.split(separator: "\n", maxSplits: 1, omittingEmptySubsequences: false).first.map(String.init) ?? ""
    }

    private static func absolute(_ path: String, from directory: String) -> String {
        path.hasPrefix("/") ? path : directory + "/" + path
    }

    /// By which the folder's trust is judged.
    package var root: String { workTree ?? gitDirectory }
}

internal import Glibc
internal import MachinePolicy
internal import Workers

/// A git directory without the settings and hooks of a repository that nobody trusts: links to its objects, refs and
/// index, and a configuration of the agent's own. Git never reads the repository's own settings, so nothing that they
/// name is run, whatever their names are and whenever they change. Removed with its owner.
final class ShadowDirectory {
    let path: String

    private static let most = 4096
    /// Not linked: what names programs or other places, and what is made here.
    private static let excluded: Set<String> = [
        "config", "config.worktree", "hooks", "commondir", "gitdir", "HEAD", "fsmonitor--daemon", "modules",
        "worktrees",
    ]

    /// - Parameter parent: a directory of the agent's own.
    init(of place: GitPlace, in parent: String, isWithinRoots: (String) -> Bool) throws(GitError) {
        var random = SystemRandomNumberGenerator()
        _ = unsafe mkdir(parent, 0o700)
        path = parent + "/shadow-" + String(random.next() as UInt64, radix: 36)
        guard unsafe mkdir(path, 0o700) == 0 else { throw .failed("\(path) cannot be made") }
        guard let head = SmallFile.text(place.gitDirectory + "/HEAD", atMost: 4096) else { throw .notARepository }
        try write("HEAD", head)
        try write("config", "[core]\n\trepositoryformatversion = 0\n")
        var linked = ShadowDirectory.excluded
        for directory in [place.gitDirectory, place.commonDirectory] {
            let names = DirectoryNames.all(in: directory, atMost: ShadowDirectory.most)
            for name in names where linked.insert(name).inserted {
                guard !name.hasSuffix(".lock"), let real = SmallFile.realPath(directory + "/" + name) else { continue }
                guard isWithinRoots(real) else { throw .outsideRoots(directory + "/" + name) }
                guard unsafe symlink(real, path + "/" + name) == 0 else { throw .failed("\(path) cannot be filled") }
            }
        }
        try ShadowDirectory.checkAlternates(place.commonDirectory + "/objects", isWithinRoots)
        for (directory, depth) in [("/objects", 1), ("/objects/pack", 1), ("/objects/info", 1), ("/refs", 16)] {
            for owner in Set([place.gitDirectory, place.commonDirectory]) {
                guard let real = SmallFile.realPath(owner + directory) else { continue }
                try ShadowDirectory.checkLinks(in: real, depth: depth, isWithinRoots)
            }
        }
    }

    /// A link to the objects or refs of a place outside the roots would show them. Single objects are not looked at:
    /// a link to one must name it by its digest.
    ///
    /// - Parameter directory: a real path.
    private static func checkLinks(
        in directory: String,
        depth: Int,
        _ isWithinRoots: (String) -> Bool
    ) throws(GitError) {
        let names = DirectoryNames.all(in: directory, atMost: most)
        guard names.count < most else { throw .tooLarge("\(directory) has more than \(most) entries.") }
        for name in names {
            let path = directory + "/" + name
            guard let real = SmallFile.realPath(path) else { continue }
            guard real == path || isWithinRoots(real) else { throw .outsideRoots(path) }
            if depth > 1, SmallFile.isDirectory(real) { try checkLinks(in: real, depth: depth - 1, isWithinRoots) }
        }
    }

    /// Objects of a place outside the roots would be shown.
    private static func checkAlternates(
        _ objects: String,
        _ isWithinRoots: (String) -> Bool
    ) throws(GitError) {
        let list = objects + "/info/alternates"
        guard SmallFile.realPath(list) != nil else { return }
        guard let text = SmallFile.text(list, atMost: 64 << 10) else { throw .outsideRoots(list) }
        for line in text.split(separator: "\n") where !line.hasPrefix("#") {
            let named = line.hasPrefix("/") ? String(line) : objects + "/" + line
            guard let real = SmallFile.realPath(named) else { continue }
            guard isWithinRoots(real) else { throw .outsideRoots(named) }
            guard SmallFile.realPath(real + "/info/alternates") == nil else { throw .outsideRoots(named) }
        }
    }

    func write(_ name: String, _ text: String) throws(GitError) {
        let file = unsafe open(path + "/" + name, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard file >= 0 else { throw .failed("\(path) cannot be filled") }
        defer { close(file) }
        let bytes = Array(text.utf8)
        guard unsafe Glibc.write(file, bytes, bytes.count) == bytes.count else {
            throw .failed("\(path) cannot be filled")
        }
    }

    deinit {
        for name in DirectoryNames.all(in: path, atMost: ShadowDirectory.most) { _ = unsafe unlink(path + "/" + name) }
        _ = unsafe rmdir(path)
    }
}

internal import MachinePolicy

/// Looks for directories below the roots of the machine's file that are repositories or in which Claude Code has
/// worked. Does no I/O itself.
struct Discovery {
    struct Found: Equatable {
        /// A real path.
        var path: String
        var isRepository: Bool
        /// The conversations of Claude Code that began there.
        var conversations: Int
        /// Seconds since 1970 of the newest conversation, else of the directory's last change.
        var modified: Int64
    }

    /// The disk, as far as the search looks at it.
    struct Disk {
        /// The names of the directories in a directory, without those that are links.
        var directories: (String) -> [String]
        /// Whether git has a repository there, or a worktree.
        var isRepository: (String) -> Bool
        var modified: (String) -> Int64
        /// `nil` if nothing exists at a path.
        var realPath: (String) -> String?
        var isDirectory: (String) -> Bool
        /// Whether the time for the search is over.
        var isLate: () -> Bool
    }

    static let mostDepth = 8
    private static let mostFound = 500
    private static let mostDirectories = 20_000
    private static let skipped: Set<String> = ["node_modules", "vendor", "target", "Library"]

    private let roots: [(path: String, isControlled: Bool)]
    private let disk: Disk
    private let history: ConversationHistory

    init(_ file: AgentFile, _ disk: Disk, _ history: ConversationHistory) {
        roots =
            file.isUsable
            ? file.roots.map { (path: MachinePlace.plain($0.path), isControlled: $0.allowance.control) }
                .filter { disk.realPath($0.path) == $0.path }
            : []
        (self.disk, self.history) = (disk, history)
    }

    /// Looks below the directories that are named, else below all roots.
    ///
    /// - Parameter depth: the levels below them. With 0, each directory that is named is found, whatever it is.
    /// - Returns: what was found, and whether all was looked at.
    func run(_ paths: [String]?, depth: Int) throws(CommandRefusal) -> (found: [Found], isComplete: Bool) {
        var waiting = try starts(paths).map { ($0, 0) }
        var (next, found, known) = (0, [Found](), Set<String>())
        while next < waiting.count {
            guard next < Discovery.mostDirectories, found.count < Discovery.mostFound, !disk.isLate() else {
                return (found, false)
            }
            let (path, level) = waiting[next]
            next += 1
            guard known.insert(path).inserted, isControlled(path) else { continue }
            let isRepository = disk.isRepository(path)
            let past = history.conversations(in: path)
            if isRepository || past != nil || depth == 0 {
                found.append(
                    Found(
                        path: path,
                        isRepository: isRepository,
                        conversations: past?.count ?? 0,
                        modified: past?.newest ?? disk.modified(path)
                    )
                )
            }
            // In a repository only what Claude Code knows is of interest.
            guard level < depth, !isRepository || history.hasMore(below: path) else { continue }
            for name in disk.directories(path) where !name.hasPrefix(".") && !Discovery.skipped.contains(name) {
                waiting.append(((path == "/" ? "" : path) + "/" + name, level + 1))
            }
        }
        return (found, true)
    }

    private func starts(_ paths: [String]?) throws(CommandRefusal) -> [String] {
        guard let paths else { return roots.filter(\.isControlled).map(\.path) }
        return try paths.map { path throws(CommandRefusal) in
            // Whether something exists outside the roots is nobody's business.
            guard let real = disk.realPath(path), disk.isDirectory(real), let root = root(of: real) else {
                throw CommandRefusal(.outsideRoots, "\(path) is no directory below a root of this machine.")
            }
            guard root.isControlled else {
                throw CommandRefusal(.notAllowed, "The machine's file agent says control=off there.")
            }
            return real
        }
    }

    private func isControlled(_ path: String) -> Bool { root(of: path)?.isControlled ?? false }

    /// The most special root that contains the directory.
    private func root(of path: String) -> (path: String, isControlled: Bool)? {
        roots.filter { MachinePlace.contains($0.path, path) }.max { $0.path.utf8.count < $1.path.utf8.count }
    }
}

/// The conversations that Claude Code keeps, by the names of their directories.
struct ConversationHistory {
    struct Past: Equatable {
        var count: Int
        /// Seconds since 1970.
        var newest: Int64
    }

    private let past: [String: Past]
    /// Claude Code cuts longer names and ends them with a digest.
    private static let longestName = 200

    init(_ past: [String: Past]) { self.past = past }

    /// The name of the directory for conversations that began in this one.
    static func name(of path: String) -> String {
        String(
            path.unicodeScalars.flatMap { scalar -> [Character] in
                let isPlain = scalar.isASCII && (scalar.properties.isAlphabetic || ("0"..."9").contains(scalar))
                // It counts in UTF-16, as its language does.
                return isPlain ? [Character(scalar)] : Array(repeating: "-", count: scalar.value > 0xFFFF ? 2 : 1)
            }
        )
    }

    func conversations(in path: String) -> Past? {
        let name = ConversationHistory.name(of: path)
        return name.utf8.count > ConversationHistory.longestName ? nil : past[name]
    }

    /// Whether a conversation may have begun in a directory below this one.
    func hasMore(below path: String) -> Bool {
        let prefix = ConversationHistory.name(of: path) + "-"
        return past.keys.contains { $0.hasPrefix(prefix) }
    }
}

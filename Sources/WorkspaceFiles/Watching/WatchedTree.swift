/// The directories that are watched and the names in them, and what an event means there. Pure.
struct WatchedTree {
    struct Directory {
        var path: [UInt8]
        /// Whether new directories in it are watched as well.
        var isRecursive: Bool
        /// Hashes of the names of files: they tell whether a file is new.
        var names: Set<UInt32> = []
    }

    /// What the events of one reading ask for.
    struct Needs: Equatable {
        /// Directories that are not watched yet.
        var directories: [[UInt8]] = []
        /// A directory has another name now.
        var isMoved = false
        var isLost = false
    }

    private(set) var directories: [Int32: Directory] = [:]
    /// The first halves of renames, by their numbers.
    private var moving: [UInt32: (path: [UInt8], isDirectory: Bool)] = [:]

    var watches: Set<Int32> { Set(directories.keys) }

    mutating func add(_ watch: Int32, _ directory: Directory) { directories[watch] = directory }

    /// Names that events keep true need not be read again.
    mutating func takeNames(of watch: Int32, from earlier: WatchedTree) -> Bool {
        guard let known = earlier.directories[watch] else { return false }
        directories[watch]?.names = known.names
        return true
    }

    mutating func addName(_ name: [UInt8], in watch: Int32) { directories[watch]?.names.insert(Self.hash(name)) }

    mutating func remove(_ watch: Int32) -> Bool { directories.removeValue(forKey: watch) != nil }

    /// - Returns: what is to be done after the changes have been noted.
    mutating func apply(
        _ events: [DirectoryEvent],
        to changes: inout ChangeCoalescer,
        now: Double
    ) -> Needs {
        var needs = Needs()
        for event in events {
            if event.kind == .overflow { needs.isLost = true }
            guard let directory = directories[event.watch], !event.name.isEmpty else { continue }
            guard !RelativePath.isRepository(event.name) else { continue }
            let path = Self.path(directory.path, event.name)
            // What is not looked into is an entry like a file.
            if event.isDirectory, directory.isRecursive {
                applyDirectory(event, path, &needs, &changes, now)
            } else {
                applyFile(event, path, &changes, now)
            }
        }
        // They have left the tree.
        for (path, isDirectory) in moving.values { changes.deleted(path, isDirectory: isDirectory, now: now) }
        moving = [:]
        return needs
    }

    private mutating func applyDirectory(
        _ event: DirectoryEvent,
        _ path: [UInt8],
        _ needs: inout Needs,
        _ changes: inout ChangeCoalescer,
        _ now: Double
    ) {
        switch event.kind {
        case .created: needs.directories.append(path)
        case .movedFrom(let number): moving[number] = (path, true)
        case .movedTo(let number):
            guard let (old, _) = moving.removeValue(forKey: number) else { return needs.directories.append(path) }
            needs.isMoved = true
            changes.renamed(old, to: path, isDirectory: true, now: now)
        case .modified, .deleted, .moved, .ended, .overflow: break
        }
        if case .movedFrom = event.kind { needs.isMoved = true }
    }

    private mutating func applyFile(
        _ event: DirectoryEvent,
        _ path: [UInt8],
        _ changes: inout ChangeCoalescer,
        _ now: Double
    ) {
        let hash = Self.hash(event.name)
        switch event.kind {
        case .created:
            let isNew = directories[event.watch]?.names.insert(hash).inserted ?? true
            changes.created(path, existed: !isNew, now: now)
        case .modified:
            directories[event.watch]?.names.insert(hash)
            changes.modified(path, now: now)
        case .deleted:
            directories[event.watch]?.names.remove(hash)
            changes.deleted(path, now: now)
        case .movedFrom(let number):
            directories[event.watch]?.names.remove(hash)
            moving[number] = (path, false)
        case .movedTo(let number):
            let isNew = directories[event.watch]?.names.insert(hash).inserted ?? true
            if let (old, _) = moving.removeValue(forKey: number) {
                changes.renamed(old, to: path, existed: !isNew, now: now)
            } else {
                changes.created(path, existed: !isNew, now: now)
            }
        case .moved, .ended, .overflow: break
        }
    }

    static func path(_ directory: [UInt8], _ name: [UInt8]) -> [UInt8] {
        directory.isEmpty ? name : directory + [UInt8(ascii: "/")] + name
    }

    /// FNV-1a.
    private static func hash(_ name: [UInt8]) -> UInt32 {
        name.reduce(0x811c_9dc5) { ($0 ^ UInt32($1)) &* 0x0100_0193 }
    }
}

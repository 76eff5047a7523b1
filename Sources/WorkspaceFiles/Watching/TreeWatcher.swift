/// Watches directories by the events of the system. One thread at a time, except for `wakeUp`.
package final class TreeWatcher {
    private static let mostDepth = 100

    private let bases: [WatchBase]
    private let budget: WatchBudget
    private let events: DirectoryEvents
    private var tree = WatchedTree()
    private var changes = ChangeCoalescer()
    /// The directories of the bases.
    private var baseWatches: Set<Int32> = []
    private var isMoved = false

    /// Ends a `wait`. Any thread.
    package let wakeUp: @Sendable () -> Void

    package init(_ bases: [WatchBase], budget: WatchBudget) throws(WatchFault) {
        let events = try DirectoryEvents()
        (self.bases, self.budget, self.events) = (bases, budget, events)
        wakeUp = { events.wake() }
    }

    deinit { budget.giveBack(tree.directories.count) }

    package var directoryCount: Int { tree.directories.count }

    /// The directories of the bases are gone, or have other paths now.
    package var isAstray: Bool { isMoved || tree.directories.isEmpty }

    /// When `due` has something to say.
    package var deadline: Double? { changes.deadline }

    package func due(_ now: Double) -> ChangeCoalescer.Batch? { changes.due(now) }

    /// What has been noted, before its time.
    package func flush() -> ChangeCoalescer.Batch? { changes.flush() }

    /// Watches all directories, and no others any more. Those that were watched miss nothing meanwhile.
    package func scan(leavingOut left: LeftOut) throws(WatchFault) {
        let before = tree
        (tree, baseWatches) = (WatchedTree(), [])
        defer {
            for watch in before.watches.subtracting(tree.watches) {
                events.unwatch(watch)
                budget.giveBack(1)
            }
        }
        for base in bases {
            let walk = Walk(base: base, before: before, report: nil)
            try add(base.directory.descriptor, base.prefix, 0, left.paths, left, walk)
        }
    }

    /// Watches new directories. The files in them have been created.
    package func add(_ paths: [[UInt8]], leavingOut left: LeftOut, now: Double) throws(WatchFault) {
        for path in paths where !left.paths.contains(path) {
            guard let base = bases.last(where: { $0.isRecursive && path.starts(with: $0.prefix) }),
                let inner = try? RelativePath(path.dropFirst(base.prefix.count).drop { $0 == UInt8(ascii: "/") }),
                let directory = try? TreeWatcher.open(inner, in: base.directory.descriptor)
            else { continue }
            let walk = Walk(base: base, before: WatchedTree(), report: now)
            try add(directory, path, inner.parts.count, left.paths, left, walk)
        }
    }

    package func wait(seconds: Double?) { events.wait(seconds: seconds) }

    /// Notes what has happened.
    ///
    /// - Returns: the new directories, and whether all must be scanned again.
    package func read(now: Double) throws(WatchFault) -> (directories: [[UInt8]], needsScan: Bool) {
        let events = events.read()
        let needs = tree.apply(events, to: &changes, now: now)
        for event in events where event.kind == .ended {
            if tree.remove(event.watch) { budget.giveBack(1) }
        }
        if events.contains(where: { $0.kind == .moved && baseWatches.contains($0.watch) }) { isMoved = true }
        guard !needs.isLost else { throw .eventsLost }
        return (needs.directories, needs.isMoved)
    }

    // MARK: Walking

    private struct Walk {
        var base: WatchBase
        /// What was watched until now.
        var before: WatchedTree
        /// The time, if the files have been created just now.
        var report: Double?
    }

    private func add(
        _ directory: Descriptor,
        _ path: [UInt8],
        _ depth: Int,
        _ skipped: Set<[UInt8]>,
        _ left: LeftOut,
        _ walk: Walk
    ) throws(WatchFault) {
        guard depth < TreeWatcher.mostDepth, (try? directory.isOfKernel) == false,
            let watch = try watch(directory, path, walk), let stream = try? DirectoryStream(directory)
        else { return }
        if directory === walk.base.directory.descriptor { baseWatches.insert(watch) }
        let isKnown = tree.takeNames(of: watch, from: walk.before)
        var skipped = skipped
        if depth > 0, walk.base.isRecursive, stream.status(of: Array(".git".utf8)) != nil,
            let inner = try? RelativePath(path)
        {
            skipped.formUnion(left.inner(inner))
        }
        while let entry = try? stream.next() {
            let entryPath = WatchedTree.path(path, entry.name)
            guard !skipped.contains(entryPath), let kind = entry.kind ?? stream.status(of: entry.name)?.kind else {
                continue
            }
            switch kind {
            case .directory where walk.base.isRecursive:
                guard let inner = try? Descriptor(entry.name, in: directory, for: .passingDirectory) else { continue }
                try add(inner, entryPath, depth + 1, skipped, left, walk)
            case .file, .link:
                if !isKnown { tree.addName(entry.name, in: watch) }
                if let now = walk.report { changes.created(entryPath, now: now) }
            case .directory, .special: continue
            }
        }
    }

    private func watch(_ directory: Descriptor, _ path: [UInt8], _ walk: Walk) throws(WatchFault) -> Int32? {
        guard budget.take() else { throw .tooManyDirectories }
        let watch: Int32?
        do throws(WatchFault) {
            watch = try events.watch(directory)
        } catch {
            budget.giveBack(1)
            throw error
        }
        guard let watch, tree.directories[watch] == nil else {
            budget.giveBack(1)
            return nil
        }
        if walk.before.directories[watch] != nil { budget.giveBack(1) }
        tree.add(watch, WatchedTree.Directory(path: path, isRecursive: walk.base.isRecursive))
        return watch
    }

    private static func open(_ path: RelativePath, in base: Descriptor) throws(FileFault) -> Descriptor {
        var directory = base
        for part in path.parts { directory = try Descriptor(part, in: directory, for: .passingDirectory) }
        return directory
    }
}

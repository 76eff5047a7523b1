internal import EventModel
internal import Host
internal import JSON
internal import MachinePolicy
internal import Workers
internal import WorkspaceFiles

/// Tells the server which files of a workspace change. Runs on a thread of its own.
struct FileWatch {
    /// Events that come while the thread waits so long are read together.
    private static let gatherSeconds = 0.03
    /// More new directories than these are found by looking at all.
    private static let mostNewDirectories = 100
    /// A look at all files may take this part of the time.
    private static let pollingShare = 0.01
    private static let pollingRange = 2.0...120.0
    private static let gitSeconds: Int32 = 5
    /// A message to the server has room for no more.
    private static let mostBytes = 900 << 10

    let watch: WorkspaceWatch

    func run() {
        while !watch.stop.isSet {
            do throws(CommandRefusal) {
                try follow(try place())
            } catch {
                watch.tellState(of: "files", .off, error.reason.rawValue)
                watch.stop.sleep(seconds: WorkspaceWatch.retrySeconds)
            }
        }
    }

    private func place() throws(CommandRefusal) -> ServedPlace {
        let place = try ServedPlace(ServedPath(directory: watch.directory), watch.context)
        guard place.opened.status.kind == .directory else {
            throw CommandRefusal(.fileKind, "\(watch.directory) is not a directory.")
        }
        return place
    }

    private func follow(_ place: ServedPlace) throws(CommandRefusal) {
        do throws(WatchFault) {
            try followEvents(place)
        } catch {
            if error == .eventsLost { tellLost() }
            do throws(WatchFault) {
                try poll(place, because: error)
            } catch {
                watch.tellState(of: "files", .off, error.rawValue)
                watch.stop.sleep(seconds: WorkspaceWatch.pollingSeconds)
            }
        }
    }

    private func leftOut(_ place: ServedPlace) -> LeftOut {
        let git = GitNames(watch.context, place)
        return LeftOut(git.ignored(FileWatch.gitSeconds).union(place.excluded).union(place.ownPaths)) {
            git.ignored(inside: $0, FileWatch.gitSeconds)
        }
    }

    // MARK: Events

    /// Returns when the watch ends, or when it must begin anew.
    private func followEvents(_ place: ServedPlace) throws(WatchFault) {
        let watcher = try TreeWatcher([WatchBase(place.opened)], budget: watch.budget)
        watch.stop.onSet(watcher.wakeUp)
        defer { watch.stop.onSet(nil) }
        try watcher.scan(leavingOut: leftOut(place))
        watch.tellState(of: "files", .events)
        while !watch.stop.isSet {
            watcher.wait(seconds: watcher.deadline.map { max(0, $0 - SystemClock.monotonicSeconds()) })
            watch.stop.sleep(seconds: FileWatch.gatherSeconds)
            let now = SystemClock.monotonicSeconds()
            let found = try watcher.read(now: now)
            if found.needsScan || found.directories.count > FileWatch.mostNewDirectories {
                try watcher.scan(leavingOut: leftOut(place))
            } else if !found.directories.isEmpty {
                let git = GitNames(watch.context, place)
                let left = git.ignored(in: found.directories).union(place.excluded).union(place.ownPaths)
                try watcher.add(
                    found.directories,
                    leavingOut: LeftOut(left) { git.ignored(inside: $0, FileWatch.gitSeconds) },
                    now: now
                )
            }
            if let batch = watcher.due(SystemClock.monotonicSeconds()) {
                guard tell(batch, of: place) else { return }
                if FileWatch.changesRules(batch) { try watcher.scan(leavingOut: leftOut(place)) }
            }
            if watcher.isAstray { return }
        }
    }

    private static func changesRules(_ batch: ChangeCoalescer.Batch) -> Bool {
        batch.changes.contains { change in
            [change.path, change.oldPath ?? []].contains { $0.suffix(10).elementsEqual(".gitignore".utf8) }
        }
    }

    // MARK: Looking again and again

    /// Returns when events of the system should be tried again.
    private func poll(_ place: ServedPlace, because fault: WatchFault) throws(WatchFault) {
        let bases = [WatchBase(place.opened)]
        let end = SystemClock.monotonicSeconds() + WorkspaceWatch.pollingSeconds
        var changes = ChangeCoalescer()
        var left = leftOut(place)
        var last = try TreeSnapshot(bases, leavingOut: left)
        watch.tellState(of: "files", .polling, fault.rawValue)
        var pause = FileWatch.pollingRange.lowerBound
        while !watch.stop.isSet, SystemClock.monotonicSeconds() < end {
            watch.stop.sleep(seconds: pause)
            guard !watch.stop.isSet else { return }
            let began = SystemClock.monotonicSeconds()
            let next = try TreeSnapshot(bases, leavingOut: left)
            next.note(since: last, in: &changes, now: began)
            last = next
            let range = FileWatch.pollingRange
            let took = SystemClock.monotonicSeconds() - began
            pause = min(range.upperBound, max(range.lowerBound, took / FileWatch.pollingShare))
            if var batch = changes.flush() {
                batch.firstAt = began - pause
                guard tell(batch, of: place) else { return }
                left = leftOut(place)
            }
        }
    }

    // MARK: Telling

    private func tellLost() {
        let now = SystemClock.monotonicSeconds()
        tell([], isCut: true, from: now, to: now)
    }

    /// Returns false if the machine's file no longer allows it, or if the directory is another one.
    private func tell(_ batch: ChangeCoalescer.Batch, of place: ServedPlace) -> Bool {
        guard let now = try? self.place(), now.opened.realPath == place.opened.realPath else { return false }
        let paths = batch.changes.flatMap { [$0.path] + ($0.oldPath.map { [$0] } ?? []) }
        let hidden = now.excluded.union(now.ownPaths)
        let ignored = paths.isEmpty ? [] : GitNames(watch.context, now).ignored(among: paths)
        func isTold(_ path: [UInt8]) -> Bool {
            !ignored.contains(path) && !hidden.contains { path == $0 || path.starts(with: $0 + [UInt8(ascii: "/")]) }
        }
        let changes = batch.changes.compactMap { change -> FileChange? in
            guard let old = change.oldPath else { return isTold(change.path) ? change : nil }
            switch (isTold(old), isTold(change.path)) {
            case (true, true): return change
            case (true, false): return FileChange(old, .deleted, isDirectory: change.isDirectory)
            case (false, true): return FileChange(change.path, .created, isDirectory: change.isDirectory)
            case (false, false): return nil
            }
        }
        guard !changes.isEmpty || batch.isCut else { return true }
        var room = FileWatch.mostBytes
        let fitting = changes.prefix { change in
            // A byte may take six in JSON, and two more in Base64.
            room -= 8 * (change.path.count + (change.oldPath?.count ?? 0)) + 200
            return room >= 0
        }
        tell(
            fitting.map { members(of: $0, in: now) },
            isCut: batch.isCut || fitting.count < changes.count,
            from: batch.firstAt,
            to: batch.lastAt
        )
        return true
    }

    private func members(of change: FileChange, in place: ServedPlace) -> JSONValue {
        var members = FileFacts.text("path", change.path) + [("change", .string(change.kind.rawValue))]
        if let old = change.oldPath { members += FileFacts.text("old_path", old) }
        if change.isDirectory { members.append(("is_directory", .bool(true))) }
        if change.kind != .deleted, let path = try? RelativePath(change.path),
            let opened = try? place.root.open(RelativePath(parts: place.path.parts + path.parts)),
            opened.status.kind == .file
        {
            members.append(("size", .integer(opened.status.size)))
        }
        if place.isSecret(change.path) { members.append(("is_secret", .bool(true))) }
        return .object(members)
    }

    /// - Parameters:
    ///   - first: when the first of the changes happened, on the monotonic clock.
    private func tell(_ changes: [JSONValue], isCut: Bool, from first: Double, to last: Double) {
        let (wall, now) = (SystemClock.now(), SystemClock.monotonicSeconds())
        watch.tell(
            "file/changed",
            [
                ("directory", .string(watch.directory)), ("changes", .array(changes)), ("is_cut", .bool(isCut)),
                ("from", .string(wall.adding(seconds: first - now).description)),
                ("to", .string(wall.adding(seconds: last - now).description)),
            ]
        )
    }
}

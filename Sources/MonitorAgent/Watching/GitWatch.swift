internal import GitRunner
internal import Host
internal import JSON
internal import MachinePolicy
internal import Workers
internal import WorkspaceFiles

/// Tells the server when the state of a workspace's repository changes. Only git's own files are watched: a change of
/// the work tree alone is not noticed. Runs on a thread of its own.
struct GitWatch {
    private static let pollingInterval = 2.0
    /// Entries of git's directory whose changes change the state.
    private static let names: Set<String> = [
        "HEAD", "index", "packed-refs", "config", "FETCH_HEAD", "ORIG_HEAD", "MERGE_HEAD", "CHERRY_PICK_HEAD",
        "REVERT_HEAD", "BISECT_LOG", "rebase-merge", "rebase-apply", "shallow", "tables.list",
    ]

    let watch: WorkspaceWatch

    private struct Repository {
        var directory: String
        var settings: GitSettings
        var bases: [WatchBase]
    }

    /// What was told last.
    private final class Told {
        var status: JSONValue?
        var problem: String?
        var backoff = Backoff(1...60)
    }

    func run() {
        let told = Told()
        while !watch.stop.isSet {
            do throws(GitWatchFault) {
                let repository = try repository()
                do throws(WatchFault) {
                    try followEvents(repository, told)
                } catch {
                    watch.tellState(of: "git", .polling, error.rawValue)
                    try poll(repository, told)
                }
            } catch {
                fail(error, told)
            }
        }
    }

    private func fail(_ fault: GitWatchFault, _ told: Told) {
        if fault.words != told.problem {
            (told.status, told.problem) = (nil, fault.words)
            watch.tell(
                "git/changed",
                [("state", .string(fault.state)), ("error", .string(String(fault.words.prefix(1000))))]
            )
        }
        watch.tellState(of: "git", .off, fault.state)
        watch.stop.sleep(seconds: fault.isPassing ? told.backoff.next() : WorkspaceWatch.retrySeconds)
    }

    // MARK: The repository

    private func repository() throws(GitWatchFault) -> Repository {
        let context = watch.context
        guard let real = SmallFile.realPath(watch.directory), SmallFile.isDirectory(real),
            let root = try? context.root(of: real, as: watch.directory)
        else { throw GitWatchFault("unavailable", "The directory is not below a root of this machine.") }
        guard root.allowance.git >= .read else {
            throw GitWatchFault("unavailable", "The machine's file agent says git=off there.")
        }
        do throws(GitError) {
            let program = try context.services.git.programNow(context)
            let settings = try GitCommand.settings(program, context, word: .read)
            let place = try GitPlace.find(from: real, isWithinRoots: settings.isWithinRoots)
            return Repository(directory: real, settings: settings, bases: GitWatch.bases(of: place))
        } catch {
            throw GitWatchFault(error)
        }
    }

    /// The directory of the work tree has HEAD and index; the common one, which may be the same, the branches.
    private static func bases(of place: GitPlace) -> [WatchBase] {
        func open(_ path: String) -> OpenedFile? { try? RootDirectory(path).open(RelativePath(parts: [])) }
        var bases = [open(place.gitDirectory).map { WatchBase($0, isRecursive: false) }]
        if place.commonDirectory != place.gitDirectory {
            bases.append(
                open(place.commonDirectory).map { WatchBase($0, prefix: Array("common".utf8), isRecursive: false) }
            )
        }
        for name in ["refs", "reftable"] {
            bases.append(open(place.commonDirectory + "/" + name).map { WatchBase($0, prefix: Array(name.utf8)) })
        }
        return bases.compactMap(\.self)
    }

    /// Whether the change of a file of git's changes the state.
    static func matters(_ path: [UInt8]) -> Bool {
        let parts = path.split(separator: UInt8(ascii: "/")).map { String(decoding: $0, as: UTF8.self) }
        guard let name = parts.last, !name.hasSuffix(".lock") else { return false }
        return parts.first == "refs" || names.contains(name)
    }

    // MARK: Watching

    private func followEvents(_ repository: Repository, _ told: Told) throws(WatchFault) {
        let watcher = try TreeWatcher(repository.bases, budget: watch.budget)
        watch.stop.onSet(watcher.wakeUp)
        defer { watch.stop.onSet(nil) }
        try watcher.scan(leavingOut: LeftOut())
        watch.tellState(of: "git", .events)
        var debounce = GitDebounce()
        var retryAt = ask(repository, told)
        while !watch.stop.isSet {
            let due = [debounce.deadline, retryAt].compactMap(\.self).min()
            watcher.wait(seconds: due.map { max(0, $0 - SystemClock.monotonicSeconds()) })
            let now = SystemClock.monotonicSeconds()
            let found = try watcher.read(now: now)
            if found.needsScan {
                try watcher.scan(leavingOut: LeftOut())
            } else {
                try watcher.add(found.directories, leavingOut: LeftOut(), now: now)
            }
            if let batch = watcher.flush(), batch.isCut || batch.changes.contains(where: { GitWatch.matters($0.path) })
            {
                debounce.changed(now: now)
            }
            if debounce.due(now) || retryAt.map({ $0 <= now }) ?? false { retryAt = ask(repository, told) }
            guard isSame(repository), !watcher.isAstray else { return }
        }
    }

    private func poll(_ repository: Repository, _ told: Told) throws(GitWatchFault) {
        let end = SystemClock.monotonicSeconds() + WorkspaceWatch.pollingSeconds
        do throws(WatchFault) {
            var debounce = GitDebounce()
            var changes = ChangeCoalescer()
            var last = try TreeSnapshot(repository.bases, leavingOut: LeftOut())
            var retryAt = ask(repository, told)
            while !watch.stop.isSet, SystemClock.monotonicSeconds() < end, isSame(repository) {
                let due = [debounce.deadline, retryAt].compactMap(\.self).min().map {
                    $0 - SystemClock.monotonicSeconds()
                }
                watch.stop.sleep(seconds: max(0, min(GitWatch.pollingInterval, due ?? .infinity)))
                let now = SystemClock.monotonicSeconds()
                let next = try TreeSnapshot(repository.bases, leavingOut: LeftOut())
                next.note(since: last, in: &changes, now: now)
                last = next
                if let batch = changes.flush(),
                    batch.isCut || batch.changes.contains(where: { GitWatch.matters($0.path) })
                {
                    debounce.changed(now: now)
                }
                if debounce.due(now) || retryAt.map({ $0 <= now }) ?? false { retryAt = ask(repository, told) }
            }
        } catch {
            throw GitWatchFault("unavailable", "Git's directory cannot be watched: \(error.rawValue).")
        }
    }

    /// Whether the directory still has this repository, and the machine's file still allows to read it.
    private func isSame(_ repository: Repository) -> Bool {
        guard let now = try? self.repository() else { return false }
        return now.bases.map(\.directory.realPath) == repository.bases.map(\.directory.realPath)
    }

    /// Asks git for the state and tells the server if it is another one.
    ///
    /// - Returns: when to ask again, after a failure.
    private func ask(_ repository: Repository, _ told: Told) -> Double? {
        guard !watch.stop.isSet else { return nil }
        do throws(GitError) {
            let status = try GitRepository(at: repository.directory, repository.settings).summary()
            told.backoff.reset()
            guard status != told.status else { return nil }
            watch.tell("git/changed", [("state", .string("healthy")), ("status", status)])
            (told.status, told.problem) = (status, nil)
            return nil
        } catch {
            let fault = GitWatchFault(error)
            if fault.words != told.problem {
                (told.status, told.problem) = (nil, fault.words)
                watch.tell(
                    "git/changed",
                    [("state", .string(fault.state)), ("error", .string(String(fault.words.prefix(1000))))]
                )
            }
            return SystemClock.monotonicSeconds() + told.backoff.next()
        }
    }
}

/// Why a repository is not watched, in the tracker's words.
struct GitWatchFault: Error {
    /// `unhealthy`, `unavailable` or `not_git`.
    var state: String
    var words: String
    /// Whether it may pass soon.
    var isPassing: Bool { state == "unhealthy" }

    init(_ state: String, _ words: String) { (self.state, self.words) = (state, words) }

    init(_ error: GitError) {
        words = "\(error)"
        switch error {
        case .notARepository: state = "not_git"
        case .outsideRoots, .unusable, .invalid, .untrusted: state = "unavailable"
        default: state = "unhealthy"
        }
    }
}

internal import MachinePolicy
internal import Workers

/// The change sets of sessions: for each a directory with the baseline and the states after it. Its methods block; the
/// caller lets one at a time work on a session.
package struct ChangeStore: Sendable {
    private let directory: String
    let settings: GitSettings

    /// Sets that are kept, and the bytes of their contents. Those that were not used for the longest time go first.
    private static let mostSets = 200
    private static let mostBytes = 2 << 30
    private static let days: Int64 = 30

    package init(_ settings: GitSettings) {
        (directory, self.settings) = (settings.stateDirectory + "/changes", settings)
    }

    /// A session, by the id that Claude Code gives it.
    package struct Session: Sendable {
        package var id: String
        /// As it was named.
        package var directory: String
        /// Milliseconds since 1970.
        package var startedAt: Int64?
        /// It may have changed something already.
        package var isLate: Bool

        package init(id: String, directory: String, startedAt: Int64?, isLate: Bool) {
            (self.id, self.directory, self.startedAt, self.isLate) = (id, directory, startedAt, isLate)
        }
    }

    func place(_ id: String) -> String { directory + "/" + id }

    func record(_ id: String) -> ChangeRecord? {
        ChangeStore.isID(id) ? ChangeRecord(in: place(id)) : nil
    }

    package static func isID(_ id: String) -> Bool {
        id.utf8.count == 36
            && id.utf8.allSatisfy { (0x30...0x39).contains($0) || (0x61...0x66).contains($0) || $0 == 0x2D }
    }

    /// The directory in which a session began, without links.
    package func directory(of id: String) -> String? { record(id)?.directory }

    // MARK: Taking states

    /// Takes the baseline of a session, unless it has one.
    ///
    /// - Parameter isFinal: whether a session whose baseline took too long has none.
    /// - Returns: whether there is a baseline now. If git fails, the set says so.
    package func begin(_ session: Session, seconds: Double, isFinal: Bool = true) throws(GitError) -> Bool {
        guard ChangeStore.isID(session.id) else { throw .invalid("The session's id is not a UUID.") }
        if let known = record(session.id) { return known.base != nil }
        makeRoom()
        let place = place(session.id)
        // Of a session whose record was never written.
        ObjectPlace.remove(place)
        guard let real = SmallFile.realPath(session.directory) else { throw .outsideRoots(session.directory) }
        for path in [directory, place] { try WorkTreeFile.makeDirectory(path) }
        var record = ChangeRecord(named: session.directory, directory: real, usedAt: settings.now())
        (record.startedAt, record.isLate) = (session.startedAt, session.isLate)
        do throws(GitError) {
            let repository = try GitRepository(at: real, settings)
            guard let workTree = repository.place.workTree else { throw GitError.notARepository }
            record.workTree = workTree
            record.base = try take(repository, in: place, after: nil, seconds: seconds)
        } catch {
            record.reason =
                switch error {
                case .notARepository: .notARepository
                case .timedOut where isFinal: .timedOut
                case .timedOut, .outsideRoots: nil
                default: .failed
                }
            guard record.reason != nil else {
                ObjectPlace.remove(place)
                throw error
            }
        }
        try record.write(in: place)
        return record.base != nil
    }

    /// Takes the state of a session's work tree at a stop.
    ///
    /// - Returns: whether it was taken.
    package func stop(_ id: String, seconds: Double) throws(GitError) -> Bool {
        guard var record = record(id), let base = record.base else { return false }
        record.stop = try take(try repository(of: record), in: place(id), after: base, seconds: seconds)
        try keep(&record, id)
        return true
    }

    /// Takes the state of a session's work tree now.
    func look(_ id: String, _ record: inout ChangeRecord, seconds: Double) throws(GitError) {
        guard let base = record.base else { return }
        record.now = try take(try repository(of: record), in: place(id), after: base, seconds: seconds)
        try keep(&record, id)
    }

    private func keep(_ record: inout ChangeRecord, _ id: String) throws(GitError) {
        record.usedAt = settings.now()
        try record.write(in: place(id))
        let used = Set([record.base, record.stop, record.now].compactMap { $0?.directory })
        for name in DirectoryNames.all(in: place(id)) where name.hasPrefix("state-") && !used.contains(name) {
            ObjectPlace.remove(place(id) + "/" + name)
        }
    }

    /// The repository of the baseline, even if the directory has another one now.
    func repository(of record: ChangeRecord) throws(GitError) -> GitRepository {
        guard let workTree = record.workTree else { throw .notARepository }
        let repository = try GitRepository(at: workTree, settings)
        guard repository.place.workTree == workTree else { throw .notARepository }
        return repository
    }

    private func take(
        _ repository: GitRepository,
        in place: String,
        after base: WorkTreeState?,
        seconds: Double
    ) throws(GitError) -> WorkTreeState {
        let now = settings.now()
        var state = WorkTreeState(id: WorkTreeState.newID(), takenAt: now, tree: "")
        let path = place + "/" + state.directory
        do throws(GitError) {
            var others = [repository.place.commonDirectory + "/objects"]
            if let base { others.append(place + "/" + base.directory + "/objects") }
            let objects = try ObjectPlace(making: path, others: others)
            defer { objects.removeIndex() }
            var snapshot = WorkTreeSnapshot(repository, objects, deadline: now + Int64(seconds * 1000))
            try snapshot.addChanges()
            state.tree = try snapshot.tree()
            if let base { try ChangeStore.addIgnored(&snapshot, &state, base) }
            (state.unsaved, state.isTooLarge) = (snapshot.unsaved, snapshot.isTooLarge)
            (state.isCut, state.bytes) = (snapshot.isCut, snapshot.bytes)
            state.commit = (try? snapshot.run(["rev-parse", "--verify", "-q", "HEAD"]))?.line
            state.branch = (try? snapshot.run(["symbolic-ref", "--short", "-q", "HEAD"]))?.line
        } catch {
            ObjectPlace.remove(path)
            throw error
        }
        return state
    }

    /// A file of the baseline that git ignores by now is still there.
    private static func addIgnored(
        _ snapshot: inout WorkTreeSnapshot,
        _ state: inout WorkTreeState,
        _ base: WorkTreeState
    ) throws(GitError) {
        let words = ["diff-tree", "-r", "--raw", "-z", "--no-renames", base.tree, state.tree]
        guard let changes = try? snapshot.run(words) else { return }
        let workTree = try snapshot.repository.requireWorkTree()
        let present = RawChanges(changes.bytes).entries.filter { entry in
            entry.status == "D" && !entry.isSubmodule
                && WorkTreeFile.facts(entry.path, in: workTree)?.kind != nil
        }
        guard !present.isEmpty else { return }
        try snapshot.add(present.prefix(WorkTreeSnapshot.mostFiles).map(\.path))
        state.tree = try snapshot.tree()
    }

    // MARK: Forgetting

    /// The sessions whose sets were not used for some seconds.
    package func sessions(unusedFor seconds: Int64) -> [String] {
        let now = settings.now()
        return DirectoryNames.all(in: directory).filter { id in
            guard let record = record(id) else { return false }
            return now - max(record.usedAt, record.base?.takenAt ?? 0) >= seconds * 1000
        }
    }

    package func erase(_ id: String) {
        guard ChangeStore.isID(id) else { return }
        ObjectPlace.remove(place(id))
    }

    private func makeRoom() {
        let now = settings.now()
        let sets = DirectoryNames.all(in: directory).compactMap { id in record(id).map { (id: id, record: $0) } }
            .sorted { $0.record.usedAt > $1.record.usedAt }
        var bytes = 0
        for (index, set) in sets.enumerated() {
            bytes += set.record.bytes
            let isOld = now - set.record.usedAt > ChangeStore.days * 86_400_000
            guard isOld || index >= ChangeStore.mostSets - 1 || bytes > ChangeStore.mostBytes else { continue }
            ObjectPlace.remove(place(set.id))
        }
    }
}

internal import JSON
internal import MachinePolicy

/// What is kept of a session's changes, in a directory of its own: `state.json`, and the objects of each state.
struct ChangeRecord: Sendable, Equatable {
    /// Why the set is not complete.
    enum Reason: String, Sendable {
        case notARepository = "not_a_repository"
        case noBaseline = "no_baseline"
        case late = "baseline_late"
        case pruned = "pruned_objects"
        case tooLarge = "untracked_too_large"
        case tooMany = "too_many_files"
        case timedOut = "timed_out"
        case failed = "git_failed"
    }

    /// The directory of the session, as it was named and as it is without links.
    var named: String
    var directory: String
    var workTree: String?
    /// When the session began, in milliseconds since 1970, if that is known.
    var startedAt: Int64?
    /// The baseline was taken when the session might have changed something already.
    var isLate = false
    /// Why there is no baseline.
    var reason: Reason?
    var base: WorkTreeState?
    /// At the last stop, and when somebody last asked.
    var stop: WorkTreeState?
    var now: WorkTreeState?
    /// Milliseconds since 1970 of the last use.
    var usedAt: Int64 = 0

    private static let mostBytes = 64 << 20

    /// Returns nil if there is none.
    init?(in place: String) {
        guard case .text(let text, _, _) = SmallFile.read(place + "/state.json", atMost: ChangeRecord.mostBytes),
            let json = try? JSONValue.parse(text), let named = json["named"]?.string,
            let directory = json["directory"]?.string
        else { return nil }
        (self.named, self.directory, workTree) = (named, directory, json["work_tree"]?.string)
        startedAt = json["started_at"]?.integer
        isLate = json["is_late"]?.bool ?? false
        reason = json["reason"]?.string.flatMap(Reason.init(rawValue:))
        (base, stop, now) = (
            WorkTreeState(json["base"]), WorkTreeState(json["stop"]), WorkTreeState(json["now"])
        )
        usedAt = json["used_at"]?.integer ?? 0
    }

    init(named: String, directory: String, usedAt: Int64) {
        (self.named, self.directory, self.usedAt) = (named, directory, usedAt)
    }

    func write(in place: String) throws(GitError) {
        var members: [(String, JSONValue)] = [
            ("named", .string(named)), ("directory", .string(directory)), ("is_late", .bool(isLate)),
            ("used_at", .integer(usedAt)),
        ]
        if let workTree { members.append(("work_tree", .string(workTree))) }
        if let startedAt { members.append(("started_at", .integer(startedAt))) }
        if let reason { members.append(("reason", .string(reason.rawValue))) }
        for (name, state) in [("base", base), ("stop", stop), ("now", now)] {
            if let state { members.append((name, state.json)) }
        }
        var writer = JSONWriter()
        writer.value(.object(members))
        let path = place + "/state.json"
        try WorkTreeFile.save(writer.bytes, to: path + ".new")
        guard WorkTreeFile.rename(path + ".new", to: path) else { throw .failed("\(path) cannot be written") }
    }

    var bytes: Int { [base, stop, now].reduce(0) { $0 + ($1?.bytes ?? 0) } }

    /// The repository's root by the name that the session's directory has, which may contain links.
    var namedRoot: String? {
        guard let workTree, MachinePlace.contains(workTree, directory) else { return nil }
        let rest = directory.dropFirst(workTree.utf8.count)
        return named.hasSuffix(rest) ? String(named.dropLast(rest.count)) : nil
    }
}

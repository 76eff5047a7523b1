/// Makes one change of each file out of all that happens to it within a moment. Pure; times are seconds of one
/// monotonic clock.
package struct ChangeCoalescer {
    /// Changes are told when nothing has happened for this long, or after `longest`.
    package static let quiet = 0.1
    package static let longest = 0.5
    /// More are only counted.
    package static let mostChanges = 200

    /// What is told together.
    package struct Batch: Equatable {
        /// In the order of their paths.
        package var changes: [FileChange]
        /// There were more changes than are told.
        package var isCut: Bool
        /// When the first and the last of them happened.
        package var firstAt: Double
        package var lastAt: Double
    }

    private struct Pending {
        var kind: FileChange.Kind
        var oldPath: [UInt8]?
        var isDirectory = false
    }

    private var pending: [[UInt8]: Pending] = [:]
    private var isCut = false
    private var firstAt = 0.0
    private var lastAt = 0.0

    package init() {}

    /// When `due` has something to say.
    package var deadline: Double? {
        guard !pending.isEmpty || isCut else { return nil }
        return min(lastAt + ChangeCoalescer.quiet, firstAt + ChangeCoalescer.longest)
    }

    /// - Parameter existed: whether there was a file of this name before, as far as it is known.
    package mutating func created(_ path: [UInt8], existed: Bool = false, now: Double) {
        guard admit(path, now) else { return }
        switch pending[path]?.kind {
        case nil: pending[path] = Pending(kind: existed ? .modified : .created)
        case .deleted: pending[path] = Pending(kind: .modified)
        case .created, .modified, .renamed: break
        }
    }

    package mutating func modified(_ path: [UInt8], now: Double) {
        guard admit(path, now) else { return }
        if pending[path] == nil { pending[path] = Pending(kind: .modified) }
    }

    package mutating func deleted(_ path: [UInt8], isDirectory: Bool = false, now: Double) {
        guard admit(path, now) else { return }
        switch pending[path]?.kind {
        case .created: pending[path] = nil
        case .renamed:
            let old = pending[path]?.oldPath
            pending[path] = nil
            // A safety copy that an editor has removed.
            if let old { pending[old] = Pending(kind: pending[old]?.kind == .created ? .modified : .deleted) }
        case nil, .modified, .deleted: pending[path] = Pending(kind: .deleted, isDirectory: isDirectory)
        }
    }

    /// - Parameter existed: whether a file of the new name was replaced.
    package mutating func renamed(
        _ old: [UInt8],
        to path: [UInt8],
        existed: Bool = false,
        isDirectory: Bool = false,
        now: Double
    ) {
        guard admit(path, now) else { return }
        let before = pending.removeValue(forKey: old)
        let wasThere = existed || pending[path]?.kind == .deleted || pending[path]?.kind == .modified
        if before?.kind == .created {
            // A file that an editor has written beside the other, and then put in its place.
            pending[path] = Pending(kind: wasThere ? .modified : .created)
        } else if wasThere {
            pending[before?.oldPath ?? old] = Pending(kind: .deleted)
            pending[path] = Pending(kind: .modified)
        } else {
            pending[path] = Pending(kind: .renamed, oldPath: before?.oldPath ?? old, isDirectory: isDirectory)
        }
    }

    /// Changes were lost.
    package mutating func lost(now: Double) {
        note(now)
        isCut = true
    }

    package mutating func due(_ now: Double) -> Batch? {
        guard let deadline, deadline <= now else { return nil }
        return flush()
    }

    /// All that waits, before its time.
    package mutating func flush() -> Batch? {
        guard !pending.isEmpty || isCut else { return nil }
        defer { (pending, isCut) = ([:], false) }
        let changes = pending.sorted { $0.key.lexicographicallyPrecedes($1.key) }.map { path, change in
            FileChange(path, change.kind, from: change.oldPath, isDirectory: change.isDirectory)
        }
        return Batch(changes: changes, isCut: isCut, firstAt: firstAt, lastAt: lastAt)
    }

    private mutating func admit(_ path: [UInt8], _ now: Double) -> Bool {
        note(now)
        if pending[path] != nil || pending.count < ChangeCoalescer.mostChanges { return true }
        isCut = true
        return false
    }

    private mutating func note(_ now: Double) {
        if pending.isEmpty, !isCut { firstAt = now }
        lastAt = now
    }
}

/// The output of `git status --porcelain=v2 --branch -z`.
package struct StatusReport: Sendable, Equatable {
    package struct Entry: Sendable, Equatable {
        package var path: GitPath
        package var oldPath: GitPath?
        /// What differs between HEAD and the index, `.` if nothing.
        package var staged: Character
        /// What differs between the index and the work tree.
        package var unstaged: Character
        package var isSubmodule = false

        /// Its name now and, after a renaming, the one before.
        var paths: [GitPath] { [path] + (oldPath.map { [$0] } ?? []) }
    }

    package struct Conflict: Sendable, Equatable {
        package var path: GitPath
        /// Such as `UU` or `AA`.
        package var kind: String
    }

    /// nil while no commit exists.
    package var head: String?
    /// nil if HEAD is detached.
    package var branch: String?
    package var upstream: String?
    /// nil if the upstream branch is gone, or not set.
    package var ahead: Int?
    package var behind: Int?
    package var entries: [Entry] = []
    package var untracked: [GitPath] = []
    package var conflicts: [Conflict] = []
    /// There was more than was read.
    package var isCut = false

    init(_ bytes: [UInt8], isCut: Bool = false) {
        self.isCut = isCut
        var fields = Fields(bytes)
        while let field = fields.next() {
            guard let kind = field.first else { continue }
            switch kind {
            case UInt8(ascii: "#"): header(decoded(field))
            case UInt8(ascii: "1"), UInt8(ascii: "2"):
                let isRename = kind == UInt8(ascii: "2")
                let parts = field.words(isRename ? 10 : 9)
                guard parts.count == (isRename ? 10 : 9), let path = parts.last else { continue }
                let states = Array(decoded(parts[1]))
                guard states.count == 2 else { continue }
                let old = isRename ? fields.next().map { GitPath($0) } : nil
                var entry = Entry(path: GitPath(path), oldPath: old, staged: states[0], unstaged: states[1])
                entry.isSubmodule = parts[2].first == UInt8(ascii: "S")
                entries.append(entry)
            case UInt8(ascii: "u"):
                let parts = field.words(11)
                guard parts.count == 11 else { continue }
                conflicts.append(Conflict(path: GitPath(parts[10]), kind: decoded(parts[1])))
            case UInt8(ascii: "?"): untracked.append(GitPath(field.dropFirst(2)))
            default: break
            }
        }
    }

    private mutating func header(_ line: String) {
        let words = line.split(separator: " ")
        guard words.count >= 3 else { return }
        let value = String(words[2])
        switch words[1] {
        case "branch.oid": head = value == "(initial)" ? nil : value
        case "branch.head": branch = value == "(detached)" ? nil : value
        case "branch.upstream": upstream = value
        case "branch.ab" where words.count == 4:
            ahead = Int(words[2].dropFirst())
            behind = Int(words[3].dropFirst())
        default: break
        }
    }
}

/// The output of `git diff --numstat -z`.
enum NumberedChanges {
    struct Count: Equatable {
        /// nil of both: binary.
        var additions: Int?
        var deletions: Int?
    }

    /// The counts by the files' new paths.
    static func read(_ bytes: [UInt8]) -> [GitPath: Count] {
        var counts: [GitPath: Count] = [:]
        var fields = Fields(bytes)
        while let field = fields.next() {
            let parts = field.split(separator: UInt8(ascii: "\t"), maxSplits: 2, omittingEmptySubsequences: false)
            guard parts.count == 3 else { continue }
            let count = Count(additions: Int(decoded(parts[0])), deletions: Int(decoded(parts[1])))
            if parts[2].isEmpty {
                // A rename: the old and the new path follow.
                guard fields.next() != nil, let path = fields.next() else { break }
                counts[GitPath(path)] = count
            } else {
                counts[GitPath(parts[2])] = count
            }
        }
        return counts
    }
}

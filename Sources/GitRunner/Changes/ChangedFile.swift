internal import JSON

/// A file that differs between two states of a work tree.
struct ChangedFile: Sendable, Equatable {
    enum Status: String, Sendable { case added, modified, deleted, renamed }

    var path: GitPath
    var oldPath: GitPath?
    var status: Status
    /// Nil on the side on which there is no file.
    var oldMode: String?
    var newMode: String?
    /// Nil if the lines were not counted.
    var count: NumberedChanges.Count?
    /// Its contents are not kept.
    var isUnsaved = false
    /// Its contents are not shown.
    var isHidden = false

    init(_ entry: RawChanges.Entry) {
        (path, oldPath) = (entry.path, entry.oldPath)
        status =
            switch entry.status {
            case "A": .added
            case "D": .deleted
            case "R": .renamed
            default: .modified
            }
        oldMode = entry.oldMode == "000000" ? nil : entry.oldMode
        newMode = entry.newMode == "000000" ? nil : entry.newMode
    }

    var isSubmodule: Bool { oldMode == "160000" || newMode == "160000" }
    var isBinary: Bool { !isHidden && count.map { $0.additions == nil } ?? false }
    /// The lines added and removed, where they are known and may be shown.
    var lines: (added: Int, removed: Int)? {
        guard !isHidden, !isSubmodule, let count, let added = count.additions, let removed = count.deletions else {
            return nil
        }
        return (added, removed)
    }

    var json: JSONValue {
        func number(_ value: Int?) -> JSONValue { value.map { .integer(Int64($0)) } ?? .null }
        func text(_ value: String?) -> JSONValue { value.map(JSONValue.string) ?? .null }
        var members = path.members()
        if let oldPath { members += oldPath.members("old_path") }
        members += [
            ("status", .string(status.rawValue)), ("additions", number(lines?.added)),
            ("deletions", number(lines?.removed)), ("binary", .bool(isBinary)), ("old_mode", text(oldMode)),
            ("new_mode", text(newMode)),
        ]
        let flags = [
            ("is_sensitive", isHidden), ("is_submodule", isSubmodule), ("is_unsaved", isUnsaved),
            ("is_symlink", (newMode ?? oldMode) == "120000"),
        ]
        for (name, isSet) in flags where isSet { members.append((name, .bool(true))) }
        return .object(members)
    }
}

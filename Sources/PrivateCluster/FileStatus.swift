internal import Glibc

/// The result of `lstat(2)` for a path. A symbolic link is described itself, not its target.
struct FileStatus: Sendable, Equatable {
    enum Kind: Sendable {
        case directory
        case regular
        case symbolicLink
        case other
    }

    var kind: Kind
    var owner: UInt32
    var group: UInt32
    /// The twelve permission bits.
    var mode: UInt32

    init(kind: Kind, owner: UInt32, group: UInt32, mode: UInt32) {
        self.kind = kind
        self.owner = owner
        self.group = group
        self.mode = mode
    }

    /// Returns `nil` if nothing exists at `path`.
    init?(at path: String) throws(SystemFault) {
        var raw = stat()
        if unsafe lstat(path, &raw) != 0 {
            if errno == ENOENT { return nil }
            throw SystemFault("stat", path)
        }
        kind =
            switch raw.st_mode & S_IFMT {
            case S_IFDIR: .directory
            case S_IFREG: .regular
            case S_IFLNK: .symbolicLink
            default: .other
            }
        owner = raw.st_uid
        group = raw.st_gid
        mode = raw.st_mode & 0o7777
    }

    /// Whether the permission bits let `identity` traverse this directory.
    func isTraversable(by identity: ServiceIdentity) -> Bool {
        if identity.userID == 0 { return true }
        if identity.userID == owner { return mode & 0o100 != 0 }
        if identity.groupIDs.contains(group) { return mode & 0o010 != 0 }
        return mode & 0o001 != 0
    }
}

internal import Glibc

/// File operations that are safe in a directory to which another user may write. Those that change something do not
/// follow a symbolic link in the last component of their path.
enum FileSystem {
    /// The path without symbolic links.
    static func realPath(_ path: String) throws(SystemFault) -> String {
        guard let resolved = unsafe realpath(path, nil) else { throw SystemFault("resolve", path) }
        defer { unsafe free(resolved) }
        return unsafe String(cString: resolved)
    }

    /// Returns true if the directory was created, false if something existed already.
    @discardableResult
    static func makeDirectory(_ path: String, mode: UInt32) throws(SystemFault) -> Bool {
        if unsafe mkdir(path, mode) != 0 {
            if errno == EEXIST { return false }
            throw SystemFault("make directory", path)
        }
        // The process's umask may have removed bits.
        try setMode(path, mode)
        return true
    }

    /// Also creates missing ancestors, with mode 0755.
    static func makeDirectories(_ path: String, mode: UInt32) throws(SystemFault) {
        for ancestor in ancestors(of: path).dropFirst() where try FileStatus(at: ancestor) == nil {
            try makeDirectory(ancestor, mode: 0o755)
        }
        try makeDirectory(path, mode: mode)
    }

    /// `/`, `/a`, `/a/b` for `/a/b/c`.
    static func ancestors(of path: String) -> [String] {
        var names = path.split(separator: "/")
        _ = names.popLast()
        return names.reduce(into: ["/"]) { paths, name in
            paths.append(paths.count == 1 ? "/\(name)" : "\(paths[paths.count - 1])/\(name)")
        }
    }

    /// For a directory.
    static func setOwner(_ path: String, _ identity: ServiceIdentity) throws(SystemFault) {
        let directory = try FileDescriptor(opening: path, flags: O_RDONLY | O_DIRECTORY | O_NOFOLLOW)
        if fchown(directory.number, identity.userID, identity.groupID) != 0 {
            throw SystemFault("change owner of", path)
        }
    }

    /// For a directory.
    static func setMode(_ path: String, _ mode: UInt32) throws(SystemFault) {
        let directory = try FileDescriptor(opening: path, flags: O_RDONLY | O_DIRECTORY | O_NOFOLLOW)
        if fchmod(directory.number, mode) != 0 { throw SystemFault("change mode of", path) }
    }

    static func makeSymbolicLink(_ path: String, to target: String) throws(SystemFault) {
        if unsafe symlink(target, path) != 0 { throw SystemFault("link", path) }
    }

    static func rename(_ path: String, to newPath: String) throws(SystemFault) {
        if unsafe Glibc.rename(path, newPath) != 0 { throw SystemFault("rename", path) }
    }

    /// Not an error if the file does not exist.
    static func removeFile(_ path: String) throws(SystemFault) {
        if unsafe unlink(path) != 0, errno != ENOENT { throw SystemFault("remove", path) }
    }

    static func removeEmptyDirectory(_ path: String) {
        _ = unsafe rmdir(path)
    }

    static func isExecutable(_ path: String) -> Bool {
        unsafe access(path, X_OK) == 0
    }

    /// Makes changes of the names in a directory durable.
    static func syncDirectory(_ path: String) throws(SystemFault) {
        try FileDescriptor(opening: path, flags: O_RDONLY | O_DIRECTORY).sync(path: path)
    }

    /// The last `limit` bytes of a regular file, or `nil` if it does not exist.
    static func readTail(_ path: String, limit: Int) throws(SystemFault) -> String? {
        let file: FileDescriptor
        do {
            file = try FileDescriptor(opening: path, flags: O_RDONLY | O_NOFOLLOW | O_NONBLOCK)
        } catch {
            if error.code == ENOENT { return nil }
            throw error
        }
        var raw = stat()
        if unsafe fstat(file.number, &raw) != 0 { throw SystemFault("stat", path) }
        guard raw.st_mode & S_IFMT == S_IFREG else { return nil }
        let bytes = try file.read(at: max(0, Int(raw.st_size) - limit), limit: limit, path: path)
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Replaces a file atomically: a reader sees the old or the new content. Mode 0600.
    static func replaceFile(_ path: String, _ text: String, owner: ServiceIdentity) throws(SystemFault) {
        let draft = path + ".draft"
        try removeFile(draft)
        do {
            let file = try FileDescriptor(opening: draft, flags: O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, mode: 0o600)
            try file.write(all: Array(text.utf8), path: draft)
            if owner.needsSwitch, fchown(file.number, owner.userID, owner.groupID) != 0 {
                throw SystemFault("change owner of", draft)
            }
            try file.sync(path: draft)
        }
        try rename(draft, to: path)
    }
}

internal import Glibc

/// The state directory of one session: `state.json`, the pipes `in` and `out`, the client's errors in `err`, and the
/// mark `taken`. Only its owner may read it.
struct SessionFiles: Sendable {
    let directory: String
    /// Whether the state file must survive a loss of power.
    var isDurable = true

    var state: String { directory + "/state.json" }
    /// The client's standard input.
    var input: String { directory + "/in" }
    /// The client's standard output.
    var output: String { directory + "/out" }
    /// Where the server of a terminal listens.
    var socket: String { directory + "/terminal" }
    /// The client's standard error.
    var errors: String { directory + "/err" }
    /// A person goes on with the session in a terminal.
    var taken: String { directory + "/taken" }

    /// Makes the directory and, for a client without a terminal, new pipes. Its parent must exist.
    func prepare(makesPipes: Bool = true) throws(SystemFault) {
        if unsafe mkdir(directory, 0o700) != 0, errno != EEXIST { throw SystemFault("make", directory) }
        try SessionFiles.requireOwn(directory)
        for path in makesPipes ? [input, output] : [] {
            if unsafe unlink(path) != 0, errno != ENOENT { throw SystemFault("remove", path) }
            if unsafe mkfifo(path, 0o600) != 0 { throw SystemFault("make", path) }
        }
        for path in [errors, taken] where unsafe unlink(path) != 0 && errno != ENOENT {
            throw SystemFault("remove", path)
        }
        _ = try Descriptor(opening: errors, flags: O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, mode: 0o600)
    }

    /// Replaces the state file: a reader sees the old or the new one.
    func write(_ bytes: [UInt8]) throws(SystemFault) {
        let draft = state + ".new"
        if unsafe unlink(draft) != 0, errno != ENOENT { throw SystemFault("remove", draft) }
        let file = try Descriptor(opening: draft, flags: O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, mode: 0o600)
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = file.write(rest)
            if count < 0 { throw SystemFault("write", draft) }
            rest = rest.dropFirst(count)
        }
        if isDurable, fsync(file.number) != 0 { throw SystemFault("write", draft) }
        if unsafe rename(draft, state) != 0 { throw SystemFault("rename", draft) }
    }

    func remove() {
        for path in [input, output, errors, socket, state, state + ".new", taken] { _ = unsafe unlink(path) }
        _ = unsafe rmdir(directory)
    }

    /// The last 4 KB that the client wrote to its standard error.
    func standardError() -> [UInt8] { SessionFiles.tail(errors, limit: 4096) ?? [] }

    func readState() -> [UInt8]? { SessionFiles.tail(state, limit: 1 << 20) }

    /// One end of a pipe for this agent. It is opened for reading and writing, as the client has it, so that neither
    /// side sees an end when the other goes away.
    static func openPipe(_ path: String) throws(SystemFault) -> Descriptor {
        let pipe = try Descriptor(opening: path, flags: O_RDWR | O_NONBLOCK | O_NOFOLLOW)
        var status = stat()
        if unsafe fstat(pipe.number, &status) != 0 { throw SystemFault("read", path) }
        guard status.st_mode & S_IFMT == S_IFIFO else { throw SystemFault("open", path, code: EINVAL) }
        return pipe
    }

    /// The end of a regular file of this user, or nil.
    static func tail(_ path: String, limit: Int) -> [UInt8]? {
        guard let file = try? Descriptor(opening: path, flags: O_RDONLY | O_NOFOLLOW | O_NONBLOCK) else { return nil }
        var status = stat()
        guard unsafe fstat(file.number, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
        let begin = max(0, Int(status.st_size) - limit)
        guard lseek(file.number, off_t(begin), SEEK_SET) == off_t(begin) else { return nil }
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: min(limit, 65536))
        while bytes.count < limit {
            let count = file.read(into: &chunk)
            if count <= 0 { break }
            bytes.append(contentsOf: chunk[..<min(count, limit - bytes.count)])
        }
        return bytes
    }

    private static func requireOwn(_ directory: String) throws(SystemFault) {
        var status = stat()
        if unsafe lstat(directory, &status) != 0 { throw SystemFault("read", directory) }
        guard status.st_mode & S_IFMT == S_IFDIR, status.st_uid == geteuid(), status.st_mode & 0o077 == 0 else {
            throw SystemFault("use", directory, code: EPERM)
        }
    }
}

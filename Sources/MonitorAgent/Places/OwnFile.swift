internal import Glibc
internal import Workers

/// Files and directories of the agent. Only its owner may read them.
enum OwnFile {
    struct Fault: Error, Equatable, CustomStringConvertible {
        var path: String
        var code: Int32

        init(_ path: String, _ code: Int32 = errno) { (self.path, self.code) = (path, code) }

        var description: String { "\(path): \(unsafe String(cString: strerror(code)))" }
    }

    /// Makes a directory in one that exists. Returns false if something is at the path already.
    static func makeNewDirectory(_ path: String) throws(Fault) -> Bool {
        if unsafe mkdir(path, 0o755) == 0 { return true }
        guard errno == EEXIST else { throw Fault(path) }
        return false
    }

    /// Makes the directory (0700), and its parents if they do not exist.
    static func makeDirectory(_ path: String) throws(Fault) {
        var prefix = ""
        for part in path.split(separator: "/") {
            prefix += "/" + part
            guard unsafe mkdir(prefix, 0o700) == 0 || errno == EEXIST else { throw Fault(prefix) }
        }
        var status = stat()
        guard unsafe stat(path, &status) == 0 else { throw Fault(path) }
        guard status.st_uid == geteuid(), status.st_mode & S_IFMT == S_IFDIR else { throw Fault(path, EPERM) }
        guard unsafe status.st_mode & 0o077 == 0 || chmod(path, 0o700) == 0 else { throw Fault(path) }
    }

    /// Replaces the file (0600). A reader sees the old text or the new one.
    static func replace(_ path: String, _ text: [UInt8], isDurable: Bool = true) throws(Fault) {
        let draft = path + ".new"
        _ = unsafe unlink(draft)
        let file = unsafe open(draft, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard file >= 0 else { throw Fault(draft) }
        defer { close(file) }
        try write(text, to: file, draft)
        guard !isDurable || fsync(file) == 0 else { throw Fault(draft) }
        guard unsafe Glibc.rename(draft, path) == 0 else { throw Fault(path) }
    }

    static func remove(_ path: String) throws(Fault) {
        guard unsafe unlink(path) == 0 || errno == ENOENT else { throw Fault(path) }
    }

    static func rename(_ path: String, to other: String) throws(Fault) {
        guard unsafe Glibc.rename(path, other) == 0 || errno == ENOENT else { throw Fault(path) }
    }

    static func write(_ text: [UInt8], to file: Int32, _ path: String) throws(Fault) {
        var rest = text[...]
        while !rest.isEmpty {
            let count = unsafe rest.withUnsafeBytes { unsafe Glibc.write(file, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw Fault(path) }
            rest = rest.dropFirst(count)
        }
    }

    /// The names in a directory, in their order.
    static func names(in directory: String) -> [String] { DirectoryNames.all(in: directory).sorted() }

    /// The end of a file, of at most `limit` bytes; empty if there is none.
    static func tail(_ path: String, atMost limit: Int) -> [UInt8] {
        let file = unsafe open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC)
        guard file >= 0 else { return [] }
        defer { close(file) }
        var status = stat()
        guard unsafe fstat(file, &status) == 0 else { return [] }
        var bytes = [UInt8](repeating: 0, count: min(limit, Int(status.st_size)))
        let count = unsafe pread(file, &bytes, bytes.count, status.st_size - off_t(bytes.count))
        return Array(bytes.prefix(max(0, count)))
    }

    /// Lets the owner alone run and replace the file, and others run it.
    static func makeExecutable(_ path: String) throws(Fault) {
        guard unsafe chmod(path, 0o755) == 0 else { throw Fault(path) }
    }

    static func canRun(_ path: String) -> Bool { unsafe access(path, X_OK) == 0 }
}

/// A file that only grows. One thread at a time.
final class GrowingFile {
    private let descriptor: Int32
    private let path: String
    private(set) var size: Int64

    init(_ path: String) throws(OwnFile.Fault) {
        descriptor = unsafe open(path, O_WRONLY | O_CREAT | O_APPEND | O_NOFOLLOW | O_CLOEXEC, 0o600)
        self.path = path
        size = 0
        guard descriptor >= 0 else { throw OwnFile.Fault(path) }
        var status = stat()
        guard unsafe fstat(descriptor, &status) == 0, fchmod(descriptor, 0o600) == 0 else { throw OwnFile.Fault(path) }
        size = Int64(status.st_size)
    }

    deinit { if descriptor >= 0 { close(descriptor) } }

    func append(_ text: [UInt8]) throws(OwnFile.Fault) {
        try OwnFile.write(text, to: descriptor, path)
        size += Int64(text.count)
    }
}

/// The lock that makes this the only agent of the user. Held until the process ends.
final class AgentLock: Sendable {
    private let descriptor: Int32

    enum Fault: Error, Equatable, CustomStringConvertible {
        case held(pid: String)
        case file(OwnFile.Fault)

        var description: String {
            switch self {
            case .held(let pid): "another agent runs already\(pid.isEmpty ? "" : " (process \(pid))")"
            case .file(let fault): "\(fault)"
            }
        }
    }

    /// Waits for a process that an agent was about to start when it was killed. Until that process runs its own
    /// program, it has the agent's files, and with them the lock.
    static func taken(_ path: String, seconds: Double = 5) async throws(Fault) -> AgentLock {
        var looks = Int(seconds / lookSeconds)
        while true {
            do throws(Fault) {
                return try AgentLock(path)
            } catch {
                guard case .held(let pid) = error, let holder = pid_t(pid), looks > 0,
                    kill(holder, 0) != 0, errno == ESRCH
                else { throw error }
            }
            looks -= 1
            try? await Task.sleep(for: .seconds(lookSeconds))
        }
    }

    private static let lookSeconds = 0.02

    /// Throws at once if another process has the lock.
    init(_ path: String) throws(Fault) {
        descriptor = unsafe open(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw .file(OwnFile.Fault(path)) }
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
            let code = errno
            defer { close(descriptor) }
            guard code == EWOULDBLOCK else { throw .file(OwnFile.Fault(path, code)) }
            var buffer = [UInt8](repeating: 0, count: 16)
            let count = unsafe read(descriptor, &buffer, buffer.count)
            throw .held(pid: String(decoding: buffer.prefix(max(0, count)).filter { $0 > 32 }, as: UTF8.self))
        }
        let text = Array("\(getpid())\n".utf8)
        guard ftruncate(descriptor, 0) == 0, unsafe pwrite(descriptor, text, text.count, 0) == text.count else {
            throw .file(OwnFile.Fault(path))
        }
    }

    deinit { close(descriptor) }

    /// The process that holds the lock, if one does.
    static func holder(_ path: String) -> String? {
        let descriptor = unsafe open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        // A shared lock is refused only while an agent holds its own.
        guard flock(descriptor, LOCK_SH | LOCK_NB) != 0 else { return nil }
        var buffer = [UInt8](repeating: 0, count: 16)
        let count = unsafe read(descriptor, &buffer, buffer.count)
        return String(decoding: buffer.prefix(max(0, count)).filter { $0 > 32 }, as: UTF8.self)
    }
}

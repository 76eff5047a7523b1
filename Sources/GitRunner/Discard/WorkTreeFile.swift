internal import Glibc

/// A text for git that is no argument. Removed with its owner.
final class MessageFile {
    let path: String

    init(_ text: String, in directory: String) throws(GitError) {
        var random = SystemRandomNumberGenerator()
        path = directory + "/message-" + String(random.next() as UInt64, radix: 36)
        try WorkTreeFile.save(Array(text.utf8), to: path)
    }

    deinit { _ = unsafe unlink(path) }
}

/// Files of a work tree, reached directory by directory without following a link.
enum WorkTreeFile {
    typealias Kind = DiscardStore.File.Kind

    /// Returns nil for anything but a file or a link, and for a file above the limit.
    static func read(_ path: GitPath, in workTree: String, atMost limit: Int) -> (kind: Kind, bytes: [UInt8])? {
        guard let (parent, name) = open(path, in: workTree, makes: false) else { return (.absent, []) }
        defer { close(parent) }
        var status = stat()
        guard unsafe fstatat(parent, name, &status, AT_SYMLINK_NOFOLLOW) == 0 else {
            return errno == ENOENT ? (.absent, []) : nil
        }
        switch status.st_mode & S_IFMT {
        case S_IFLNK:
            var buffer = [CChar](repeating: 0, count: 4097)
            let count = unsafe readlinkat(parent, name, &buffer, buffer.count)
            return count >= 0 ? (.link, buffer[..<count].map(UInt8.init(bitPattern:))) : nil
        case S_IFREG:
            guard Int(status.st_size) <= limit else { return nil }
            let file = unsafe openat(parent, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK)
            guard file >= 0 else { return nil }
            defer { close(file) }
            guard let bytes = all(file, limit) else { return nil }
            return (status.st_mode & 0o100 != 0 ? .executable : .plain, bytes)
        // Files below it are files of their own.
        case S_IFDIR: return (.absent, [])
        default: return nil
        }
    }

    /// What a name stands for, without its content.
    struct Facts: Equatable {
        /// `nil` for a directory and for what is neither a file nor a link.
        var kind: Kind?
        var isDirectory = false
        var size = 0
        /// Changes with each change of the file.
        var version = ""
        var isReadable = true

        /// As git writes modes.
        var mode: String {
            switch kind {
            case .executable: "100755"
            case .link: "120000"
            default: "100644"
            }
        }
    }

    /// Returns nil if there is nothing, also if a link is in the way.
    static func facts(_ path: GitPath, in workTree: String) -> Facts? {
        guard let (parent, name) = open(path, in: workTree, makes: false) else { return nil }
        defer { close(parent) }
        var status = stat()
        guard unsafe fstatat(parent, name, &status, AT_SYMLINK_NOFOLLOW) == 0 else { return nil }
        let time = status.st_mtim
        var facts = Facts(
            size: Int(status.st_size),
            version: "\(status.st_ino) \(status.st_size) \(time.tv_sec) \(time.tv_nsec)"
        )
        switch status.st_mode & S_IFMT {
        case S_IFLNK: facts.kind = .link
        case S_IFREG:
            facts.kind = status.st_mode & 0o100 != 0 ? .executable : .plain
            facts.isReadable = unsafe faccessat(parent, name, R_OK, AT_EACCESS) == 0
        case S_IFDIR: facts.isDirectory = true
        default: break
        }
        return facts
    }

    private static func all(_ file: Int32, _ limit: Int) -> [UInt8]? {
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            let count = unsafe Glibc.read(file, &buffer, buffer.count)
            if count < 0, errno == EINTR { continue }
            guard count >= 0, bytes.count + count <= limit else { return nil }
            if count == 0 { return bytes }
            bytes += buffer[..<count]
        }
    }

    /// Gives the work tree a file, in place of one that is there.
    static func put(_ kind: Kind, _ bytes: [UInt8], at path: GitPath, in workTree: String) throws(GitError) {
        guard let (parent, name) = open(path, in: workTree, makes: kind != .absent) else {
            guard kind == .absent else { throw .failed("\(path.text) cannot be written") }
            return
        }
        defer { close(parent) }
        guard kind != .absent else {
            guard unsafe unlinkat(parent, name, 0) == 0 || errno == ENOENT || errno == EISDIR else {
                throw .failed("\(path.text) cannot be removed")
            }
            return
        }
        var random = SystemRandomNumberGenerator()
        let draft = Array(".undo-\(random.next() as UInt64)".utf8CString)
        var isWritten = false
        defer { if !isWritten { _ = unsafe unlinkat(parent, draft, 0) } }
        if kind == .link {
            guard unsafe symlinkat(bytes.map(CChar.init(bitPattern:)) + [0], parent, draft) == 0 else {
                throw .failed("\(path.text) cannot be written")
            }
        } else {
            let mode: mode_t = kind == .executable ? 0o777 : 0o666
            let file = unsafe openat(parent, draft, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode)
            guard file >= 0 else { throw .failed("\(path.text) cannot be written") }
            defer { close(file) }
            guard write(bytes, to: file) else { throw .failed("\(path.text) cannot be written") }
        }
        // An empty directory would be in the way of a file.
        _ = unsafe unlinkat(parent, name, AT_REMOVEDIR)
        guard unsafe renameat(parent, draft, parent, name) == 0 else {
            throw .failed("\(path.text) cannot be written")
        }
        isWritten = true
    }

    static func save(_ bytes: [UInt8], to path: String) throws(GitError) {
        let file = unsafe Glibc.open(path, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard file >= 0 else { throw .failed("\(path) cannot be written") }
        defer { close(file) }
        guard write(bytes, to: file), fsync(file) == 0 else { throw .failed("\(path) cannot be written") }
    }

    private static func write(_ bytes: [UInt8], to file: Int32) -> Bool {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = unsafe rest.withUnsafeBytes { unsafe Glibc.write(file, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return false }
            rest = rest.dropFirst(count)
        }
        return true
    }

    static func makeDirectory(_ path: String) throws(GitError) {
        guard unsafe mkdir(path, 0o700) == 0 || errno == EEXIST else { throw .failed("\(path) cannot be made") }
    }

    static func rename(_ path: String, to target: String) -> Bool { unsafe Glibc.rename(path, target) == 0 }

    static func copy(_ source: Int32, to target: Int32) -> Bool {
        var buffer = [UInt8](repeating: 0, count: 1 << 18)
        while true {
            let count = unsafe Glibc.read(source, &buffer, buffer.count)
            if count < 0, errno == EINTR { continue }
            guard count >= 0, write(Array(buffer[..<count]), to: target) else { return false }
            if count == 0 { return true }
        }
    }

    /// Opens the directory of a path, and says the name in it. The caller closes the directory.
    private static func open(_ path: GitPath, in workTree: String, makes: Bool) -> (parent: Int32, name: [CChar])? {
        let names = path.bytes.split(separator: UInt8(ascii: "/")).map { $0.map(CChar.init(bitPattern:)) + [0] }
        guard let last = names.last else { return nil }
        let flags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC
        var directory = unsafe Glibc.open(workTree, flags)
        for name in names.dropLast() {
            guard directory >= 0 else { return nil }
            if makes { _ = unsafe mkdirat(directory, name, 0o777) }
            let next = unsafe openat(directory, name, flags)
            close(directory)
            directory = next
        }
        return directory >= 0 ? (directory, last) : nil
    }
}

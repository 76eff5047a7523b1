internal import Glibc

/// A small file that only its owner can read (mode 0600). Errors are errno values.
struct SecretFile: Sendable {
    private static let sizeLimit = 64 * 1024
    let path: String

    enum Content: Equatable {
        case bytes([UInt8])
        case absent
        /// The file exists but cannot be read, or is not a regular file of at most 64 KiB.
        case unreadable(errno: Int32)
    }

    func read() -> Content {
        let file = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
        guard file >= 0 else { return errno == ENOENT ? .absent : .unreadable(errno: errno) }
        defer { close(file) }
        var status = stat()
        guard unsafe fstat(file, &status) == 0 else { return .unreadable(errno: errno) }
        guard status.st_mode & S_IFMT == S_IFREG, status.st_size <= SecretFile.sizeLimit else {
            return .unreadable(errno: EFBIG)
        }
        var bytes: [UInt8] = []
        while bytes.count <= SecretFile.sizeLimit {
            var part = [UInt8](repeating: 0, count: 4096)
            let count = unsafe Glibc.read(file, &part, part.count)
            guard count >= 0 else { return .unreadable(errno: errno) }
            if count == 0 { return .bytes(bytes) }
            bytes += part.prefix(count)
        }
        return .unreadable(errno: EFBIG)
    }

    /// Replaces the file atomically. Returns an errno, or 0 for success.
    func replace(_ bytes: [UInt8]) -> Int32 {
        let draft = path + ".draft"
        unsafe unlink(draft)
        var fault = write(bytes, to: draft)
        if fault == 0, unsafe rename(draft, path) != 0 { fault = errno }
        return fault
    }

    /// Creates the file atomically. Returns 0 for success, or EEXIST if it exists.
    func create(_ bytes: [UInt8]) -> Int32 {
        // A unique name, so that several threads or processes can try at the same time.
        let draft = "\(path).\(UInt64.random(in: 0...UInt64.max)).draft"
        var fault = write(bytes, to: draft)
        if fault == 0, unsafe link(draft, path) != 0 { fault = errno }
        unsafe unlink(draft)
        return fault
    }

    private func write(_ bytes: [UInt8], to draft: String) -> Int32 {
        let file = unsafe open(draft, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard file >= 0 else { return errno }
        defer { close(file) }
        errno = 0
        let written = unsafe Glibc.write(file, bytes, bytes.count)
        if written == bytes.count, fsync(file) == 0 { return 0 }
        return errno == 0 ? ENOSPC : errno
    }
}

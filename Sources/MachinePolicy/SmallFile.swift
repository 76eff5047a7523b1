internal import Glibc

/// Whole small files.
package enum SmallFile {
    package enum Content: Sendable {
        case absent
        case unreadable(String)
        /// - Parameter mode: the permission bits.
        case text([UInt8], owner: UInt32, mode: UInt32)
    }

    package static func read(_ path: String, atMost limit: Int) -> Content {
        let file = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
        guard file >= 0 else {
            // A link that leads nowhere is not the same as no file.
            var status = stat()
            if errno == ENOENT, unsafe lstat(path, &status) != 0 { return .absent }
            return .unreadable("it cannot be read")
        }
        defer { close(file) }
        var status = stat()
        guard unsafe fstat(file, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            return .unreadable("it is not a file")
        }
        guard status.st_size <= limit else { return .unreadable("it has more than \(limit) bytes") }
        var text: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: min(limit + 1, 64 << 10))
        while text.count <= limit {
            let count = unsafe Glibc.read(file, &buffer, buffer.count)
            if count == 0 { return .text(text, owner: status.st_uid, mode: status.st_mode & 0o7777) }
            guard count > 0 else {
                if errno == EINTR { continue }
                return .unreadable("it cannot be read")
            }
            text += buffer[..<count]
        }
        return .unreadable("it has more than \(limit) bytes")
    }

    /// The text of a file that exists and is UTF-8.
    package static func text(_ path: String, atMost limit: Int) -> String? {
        guard case .text(let bytes, _, _) = read(path, atMost: limit) else { return nil }
        return String(validating: bytes, as: UTF8.self)
    }

    /// The path without symbolic links, `.` and `..`; `nil` if nothing exists there.
    package static func realPath(_ path: String) -> String? {
        guard !path.utf8.contains(0), let real = unsafe realpath(path, nil) else { return nil }
        defer { unsafe free(real) }
        return unsafe String(validatingCString: real)
    }

    package static func parent(of path: String) -> String {
        guard let slash = path.lastIndex(of: "/"), slash != path.startIndex else { return "/" }
        return String(path[..<slash])
    }

    package static func isDirectory(_ path: String) -> Bool {
        var status = stat()
        return unsafe stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
    }

    /// Differs once the path names another file, or the file has changed. `nil` if there is none.
    package static func stamp(of path: String) -> FileStamp? {
        var status = stat()
        guard unsafe stat(path, &status) == 0 else { return nil }
        return FileStamp(
            device: UInt64(status.st_dev),
            number: UInt64(status.st_ino),
            bytes: Int64(status.st_size),
            changedNanoseconds: Int64(status.st_ctim.tv_sec) &* 1_000_000_000 &+ Int64(status.st_ctim.tv_nsec)
        )
    }

    static func facts(of path: String) -> (owner: UInt32, mode: UInt32)? {
        var status = stat()
        guard unsafe stat(path, &status) == 0 else { return nil }
        return (status.st_uid, status.st_mode & 0o7777)
    }
}

/// What tells one state of a file from another without reading it.
package struct FileStamp: Sendable, Equatable {
    var device: UInt64
    var number: UInt64
    var bytes: Int64
    var changedNanoseconds: Int64
}

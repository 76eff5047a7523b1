internal import Glibc

/// The entries of a directory in the order of the file system. One thread at a time.
@safe final class DirectoryStream {
    struct Entry {
        var name: [UInt8]
        /// `nil` if the file system does not say.
        var kind: FileStatus.Kind?
    }

    private let stream: OpaquePointer
    let number: Int32
    private let showsHidden: Bool

    init(_ directory: Descriptor, showsHidden: Bool = true) throws(FileFault) {
        self.showsHidden = showsHidden
        let copy = try directory.reading()
        let number = fcntl(copy.number, F_DUPFD_CLOEXEC, 0)
        guard number >= 0 else { throw FileFault(code: errno) }
        guard let stream = unsafe fdopendir(number) else {
            close(number)
            throw FileFault(code: errno)
        }
        unsafe self.stream = stream
        self.number = number
    }

    deinit { unsafe closedir(stream) }

    /// Where the next entry is. Holds also for another stream of the same directory.
    var place: Int {
        get { unsafe telldir(stream) }
        set { unsafe seekdir(stream, newValue) }
    }

    /// Returns `nil` at the end. Leaves out `.`, `..` and what git keeps for itself.
    func next() throws(FileFault) -> Entry? {
        while true {
            errno = 0
            guard let entry = unsafe readdir(stream) else {
                guard errno == 0 else { throw FileFault(code: errno) }
                return nil
            }
            let name = unsafe withUnsafeBytes(of: &entry.pointee.d_name) { unsafe Array($0.prefix { $0 != 0 }) }
            let isOwn = name.elementsEqual(".".utf8) || name.elementsEqual("..".utf8)
            if isOwn || RelativePath.isRepository(name) { continue }
            if !showsHidden, name.first == UInt8(ascii: ".") { continue }
            return Entry(name: name, kind: DirectoryStream.kind(unsafe Int32(entry.pointee.d_type)))
        }
    }

    private static func kind(_ type: Int32) -> FileStatus.Kind? {
        switch type {
        case Int32(DT_UNKNOWN): nil
        case Int32(DT_REG): .file
        case Int32(DT_DIR): .directory
        case Int32(DT_LNK): .link
        default: .special
        }
    }

    /// Opens a regular file for reading. Does not follow a link, and does not wait for the other end of a FIFO.
    func open(_ name: [UInt8]) throws(FileFault) -> Descriptor {
        let code = unsafe (name + [0]).withUnsafeBytes { bytes in
            guard let start = unsafe bytes.bindMemory(to: CChar.self).baseAddress else { return Int32(-1) }
            return unsafe openat(number, start, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_NOFOLLOW | O_CLOEXEC)
        }
        guard code >= 0 else { throw FileFault(code: errno) }
        return Descriptor(code)
    }

    /// The status of an entry; links are not followed. `nil` if the entry is gone.
    func status(of name: [UInt8]) -> FileStatus? {
        var status = stat()
        let code = unsafe (name + [0]).withUnsafeBytes { bytes in
            guard let start = unsafe bytes.bindMemory(to: CChar.self).baseAddress else { return Int32(-1) }
            return unsafe fstatat(number, start, &status, AT_SYMLINK_NOFOLLOW)
        }
        return code == 0 ? FileStatus(status) : nil
    }
}

internal import COpenBeneath
internal import Glibc

/// A file descriptor, closed with the last reference.
final class Descriptor: Sendable {
    let number: Int32

    /// - Parameter number: open, and owned by nobody else.
    init(_ number: Int32) { self.number = number }

    deinit { close(number) }

    /// What an entry is opened for.
    enum Purpose {
        /// As a place on the way, of any kind.
        case passing
        case passingDirectory

        fileprivate var flags: Int32 {
            switch self {
            case .passing: open_path_only
            case .passingDirectory: open_path_only | O_DIRECTORY
            }
        }
    }

    /// Opens an entry of a directory, without following a link.
    convenience init(_ name: [UInt8], in directory: Descriptor, for purpose: Purpose) throws(FileFault) {
        var number: Int32 = -1
        repeat {
            number = unsafe (name + [0]).withUnsafeBytes { bytes in
                guard let start = unsafe bytes.bindMemory(to: CChar.self).baseAddress else { return -1 }
                return unsafe openat(directory.number, start, purpose.flags | O_NOFOLLOW | O_CLOEXEC)
            }
        } while number < 0 && errno == EINTR
        guard number >= 0 else { throw FileFault(code: errno) }
        self.init(number)
    }

    var status: FileStatus {
        get throws(FileFault) {
            var status = stat()
            guard unsafe fstat(number, &status) == 0 else { throw FileFault(code: errno) }
            return FileStatus(status)
        }
    }

    /// Opens what this descriptor names once more, for reading. No path is resolved, so nothing can come in between.
    func reading() throws(FileFault) -> Descriptor {
        let number = unsafe open("/proc/self/fd/\(number)", O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC)
        guard number >= 0 else { throw FileFault(code: errno) }
        return Descriptor(number)
    }

    /// Bytes of a file that was opened for reading. Fewer than `count` only at its end.
    func read(from offset: Int64, count: Int) throws(FileFault) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: count)
        var length = 0
        while length < count {
            let got = unsafe bytes.withUnsafeMutableBytes { buffer in
                unsafe pread(
                    number,
                    buffer.baseAddress.map { unsafe $0 + length },
                    count - length,
                    off_t(offset) + length
                )
            }
            if got < 0, errno == EINTR { continue }
            guard got >= 0 else { throw FileFault(code: errno) }
            if got == 0 { break }
            length += got
        }
        bytes.removeLast(count - length)
        return bytes
    }

    /// Where it is now.
    var realPath: [UInt8] {
        get throws(FileFault) {
            var buffer = [CChar](repeating: 0, count: Int(PATH_MAX) + 1)
            let count = unsafe readlink("/proc/self/fd/\(number)", &buffer, buffer.count)
            guard count > 0, count < buffer.count else { throw count < 0 ? FileFault(code: errno) : .notFound }
            return buffer[..<count].map(UInt8.init(bitPattern:))
        }
    }

    /// The target of a link that was opened by O_PATH.
    var target: [UInt8] {
        get throws(FileFault) {
            var buffer = [CChar](repeating: 0, count: Int(PATH_MAX) + 1)
            let count = unsafe readlinkat(number, "", &buffer, buffer.count)
            guard count > 0 else { throw count < 0 ? FileFault(code: errno) : .notFound }
            return buffer[..<count].map(UInt8.init(bitPattern:))
        }
    }

    /// Whether it is in /proc or /sys, whose files are not files.
    var isOfKernel: Bool {
        get throws(FileFault) {
            let answer = is_of_kernel(number)
            guard answer >= 0 else { throw FileFault(code: -answer) }
            return answer > 0
        }
    }
}

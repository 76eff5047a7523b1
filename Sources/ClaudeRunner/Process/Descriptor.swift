internal import Glibc

/// An open file, closed with its owner. Not inherited by children.
final class Descriptor: Sendable {
    let number: Int32

    init(owning number: Int32) {
        self.number = number
    }

    convenience init(opening path: String, flags: Int32, mode: mode_t = 0) throws(SystemFault) {
        let number = retryingOnInterrupt { unsafe Int(open(path, flags | O_CLOEXEC, mode)) }
        if number < 0 { throw SystemFault("open", path) }
        self.init(owning: Int32(number))
    }

    /// A link is not followed.
    convenience init(openingDirectory path: String) throws(SystemFault) {
        try self.init(opening: path, flags: O_RDONLY | O_DIRECTORY | O_NOFOLLOW)
    }

    deinit {
        close(number)
    }

    /// Returns the number of bytes written, or a negative number with `errno`.
    func write(_ bytes: ArraySlice<UInt8>) -> Int {
        retryingOnInterrupt { unsafe bytes.withUnsafeBytes { unsafe Glibc.write(number, $0.baseAddress, $0.count) } }
    }

    /// Reads into `buffer`. Returns the number of bytes, 0 at the end, or a negative number with `errno`.
    func read(into buffer: inout [UInt8]) -> Int {
        let count = buffer.count
        return retryingOnInterrupt {
            unsafe buffer.withUnsafeMutableBytes { unsafe Glibc.read(number, $0.baseAddress, count) }
        }
    }
}

/// A system call that failed, and what it concerned.
struct SystemFault: Error, Equatable, CustomStringConvertible {
    let operation: String
    let path: String
    let code: Int32

    /// Takes `errno` of the calling thread.
    init(_ operation: String, _ path: String) {
        self.init(operation, path, code: errno)
    }

    init(_ operation: String, _ path: String, code: Int32) {
        self.operation = operation
        self.path = path
        self.code = code
    }

    var description: String {
        // Since glibc 2.32 the text is thread-local. It is copied here before another call.
        let reason = unsafe strerror(code).map { unsafe String(cString: $0) } ?? "error \(code)"
        return "\(operation) \(path): \(reason)"
    }
}

/// Repeats `call` while a signal interrupts it. A negative result is a failure, described by `errno`.
func retryingOnInterrupt(_ call: () -> Int) -> Int {
    while true {
        let result = call()
        if result >= 0 || errno != EINTR { return result }
    }
}

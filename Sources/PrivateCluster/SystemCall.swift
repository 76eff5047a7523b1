internal import Glibc

/// A failed system call and the path that it concerned.
struct SystemFault: Error, Sendable, Equatable {
    let operation: String
    let path: String
    let code: Int32

    /// Takes `errno` of the calling thread.
    init(_ operation: String, _ path: String) {
        self.operation = operation
        self.path = path
        code = errno
    }

    var clusterError: PrivateClusterError {
        // Since glibc 2.32 strerror's text is thread-local. It is copied here before another call.
        let reason = unsafe strerror(code).map { unsafe String(cString: $0) } ?? "error \(code)"
        return PrivateClusterError(.systemCallFailed, "\(operation) \(path): \(reason)")
    }
}

/// Repeats `call` while a signal interrupts it. A negative result is a failure, described by `errno`.
func retryingOnInterrupt(_ call: () -> Int) -> Int {
    while true {
        let result = call()
        if result >= 0 || errno != EINTR { return result }
    }
}

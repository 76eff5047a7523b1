internal import Glibc

/// A failed system call, with the path it was about.
struct SystemFault: Error, Sendable, Equatable {
    let operation: String
    let path: String
    let code: Int32

    /// Of the calling thread's last system call.
    init(_ operation: String, _ path: String) {
        self.operation = operation
        self.path = path
        code = errno
    }

    var clusterError: PrivateClusterError {
        // strerror's text is the thread's own since glibc 2.32 and is copied here before another call.
        let reason = unsafe strerror(code).map { unsafe String(cString: $0) } ?? "error \(code)"
        return PrivateClusterError(.systemCallFailed, "\(operation) \(path): \(reason)")
    }
}

/// Repeats `call` while a signal interrupts it. A negative result is a failure, told by `errno`.
func retryingOnInterrupt(_ call: () -> Int) -> Int {
    while true {
        let result = call()
        if result >= 0 || errno != EINTR { return result }
    }
}

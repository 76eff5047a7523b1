internal import Glibc

/// An error with the spool's files. Safe to print.
package struct SpoolError: Error, Sendable, Equatable {
    package enum Kind: Sendable, Equatable {
        /// ENOSPC or EDQUOT. A retry helps once there is free space.
        case diskFull
        /// Any other failed call. The data is not durable.
        case callFailed
        /// Another process holds the directory.
        case inUse
        /// A segment was written by a newer program.
        case otherVersion
        /// The spool is being stopped.
        case stopped
    }

    package let kind: Kind
    package let operation: String
    package let path: String
    /// `errno`, or 0 if no call failed.
    package let code: Int32

    init(_ kind: Kind, _ operation: String, _ path: String, code: Int32 = 0) {
        self.kind = kind
        self.operation = operation
        self.path = path
        self.code = code
    }

    init(_ operation: String, _ path: String, code: Int32) {
        let isFull = code == ENOSPC || code == EDQUOT
        self.init(isFull ? .diskFull : .callFailed, operation, path, code: code)
    }
}

extension SpoolError: CustomStringConvertible {
    package var description: String {
        switch kind {
        case .inUse: "\(path) is in use by another server; each needs a data directory of its own"
        case .otherVersion: "\(path) was written by a newer version of this server"
        case .stopped: "the spool is being stopped"
        case .diskFull, .callFailed:
            // Since glibc 2.32 strerror's text is thread-local. It is copied here before another call.
            "\(operation) \(path): \(unsafe String(cString: strerror(code)))"
        }
    }
}

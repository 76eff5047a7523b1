internal import Glibc

/// An error with the spool's files. Safe to print.
public struct SpoolError: Error, Sendable, Equatable {
    public enum Kind: Sendable, Equatable {
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

    public let kind: Kind
    public let operation: String
    public let path: String
    /// `errno`, or 0 if no call failed.
    public let code: Int32

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
    public var description: String {
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

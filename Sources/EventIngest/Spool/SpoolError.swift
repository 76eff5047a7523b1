internal import Glibc

/// What went wrong with the spool's files. Safe to print.
public struct SpoolError: Error, Sendable, Equatable {
    public enum Kind: Sendable, Equatable {
        /// ENOSPC or EDQUOT; a retry helps once there is room.
        case diskFull
        /// Any other failed call. What was to be written is not durable.
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
    /// `errno`; 0 where no call failed.
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
            // strerror's text is the thread's own since glibc 2.32 and is copied here before another call.
            "\(operation) \(path): \(unsafe String(cString: strerror(code)))"
        }
    }
}

internal import Glibc

/// The calls and types of sockets that other systems do not have. The other files of this module keep to POSIX.
enum SystemSocket {
    static let streamKind = Int32(SOCK_STREAM.rawValue)
    static let tcpLevel = Int32(IPPROTO_TCP)
    /// A descriptor that does not block, and that child processes do not inherit.
    private static let privateStream =
        streamKind | Int32(SOCK_NONBLOCK.rawValue) | Int32(SOCK_CLOEXEC.rawValue)

    /// A socket that does not block; negative after a failure.
    static func stream(family: Int32) -> Int32 { socket(family, privateStream, 0) }

    /// Two connected sockets that do not block; `nil` after a failure.
    static func pair() -> (Int32, Int32)? {
        var pair: [Int32] = [-1, -1]
        return unsafe socketpair(AF_UNIX, privateStream, 0, &pair) == 0 ? (pair[0], pair[1]) : nil
    }

    /// `send` that never raises SIGPIPE.
    static func send(_ descriptor: Int32, _ bytes: UnsafeRawBufferPointer) -> Int {
        unsafe Glibc.send(descriptor, bytes.baseAddress, bytes.count, Int32(MSG_NOSIGNAL))
    }
}

internal import Glibc

/// Sockets in the file system: unix(7). The path of a socket may have 107 bytes only, so the directory is opened, and
/// named by its descriptor.
enum LocalSocket {
    static func listen(at path: String) throws(SystemFault) -> Descriptor {
        if unsafe unlink(path) != 0, errno != ENOENT { throw SystemFault("remove", path) }
        let socket = try make(path)
        let result = unsafe try withAddress(of: path) { unsafe bind(socket.number, $0, $1) }
        if result != 0 { throw SystemFault("make", path) }
        // Only its owner may connect.
        if unsafe chmod(path, 0o600) != 0 { throw SystemFault("make", path) }
        if Glibc.listen(socket.number, 4) != 0 { throw SystemFault("listen on", path) }
        return socket
    }

    static func connect(to path: String) throws(SystemFault) -> Descriptor {
        let socket = try make(path)
        let result = unsafe try withAddress(of: path) { unsafe Glibc.connect(socket.number, $0, $1) }
        if result != 0 { throw SystemFault("connect to", path) }
        return socket
    }

    /// nil if nobody waits.
    static func accept(_ listener: Descriptor) -> Descriptor? {
        let number = retryingOnInterrupt { Int(Glibc.accept(listener.number, nil, nil)) }
        guard number >= 0 else { return nil }
        let socket = Descriptor(owning: Int32(number))
        _ = fcntl(socket.number, F_SETFD, FD_CLOEXEC)
        _ = fcntl(socket.number, F_SETFL, O_NONBLOCK)
        return socket
    }

    private static func make(_ path: String) throws(SystemFault) -> Descriptor {
        let kind = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue) | Int32(SOCK_NONBLOCK.rawValue)
        let number = socket(AF_UNIX, kind, 0)
        if number < 0 { throw SystemFault("make a socket for", path) }
        return Descriptor(owning: number)
    }

    private static func withAddress(
        of path: String,
        _ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32
    ) throws(SystemFault) -> Int32 {
        let parts = path.split(separator: "/", omittingEmptySubsequences: false)
        let directory = try Descriptor(openingDirectory: parts.dropLast().joined(separator: "/"))
        let name = "/proc/self/fd/\(directory.number)/\(parts.last ?? "")"
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let bytes = Array(name.utf8)
        guard bytes.count < MemoryLayout.size(ofValue: address.sun_path) else {
            throw SystemFault("use", path, code: ENAMETOOLONG)
        }
        unsafe withUnsafeMutableBytes(of: &address.sun_path) { unsafe $0.copyBytes(from: bytes) }
        return unsafe withUnsafePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe body($0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
    }
}

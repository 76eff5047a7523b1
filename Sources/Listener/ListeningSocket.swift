internal import CLibwebsockets
internal import Glibc

/// A bound, listening, non-blocking socket. The owner must call `close`, which removes a unix socket's file as well.
struct ListeningSocket {
    let descriptor: Int32
    /// With the actual port.
    let address: ListenAddress

    var isLocal: Bool { if case .unix = address { true } else { false } }

    init(_ wanted: ListenAddress) throws(ListenerError) {
        switch wanted {
        case .unix(let path):
            try Self.removeStale(path, wanted)
            descriptor = try Self.listen(AF_UNIX, Self.unixAddress(path), wanted)
            address = wanted
        case .tcp(let host, let port):
            let (family, bytes) = try Self.resolve(host, port, wanted)
            descriptor = try Self.listen(family, bytes, wanted)
            address = .tcp(host: host, port: port == 0 ? Self.port(of: descriptor) : port)
        }
    }

    func close() {
        Glibc.close(descriptor)
        removeFile()
    }

    func removeFile() {
        if case .unix(let path) = address { _ = unsafe unlink(path) }
    }

    enum Accepted {
        case connection(Int32, peer: String)
        case nothing
        /// Descriptors or memory are exhausted. Waiting helps; an immediate retry does not.
        case exhausted
    }

    func accept() -> Accepted {
        while true {
            var storage = sockaddr_storage()
            var size = socklen_t(MemoryLayout<sockaddr_storage>.size)
            let socket = unsafe withUnsafeMutableBytes(of: &storage) { bytes in
                let address = unsafe bytes.baseAddress?.assumingMemoryBound(to: sockaddr.self)
                return unsafe listener_accept(descriptor, address, &size)
            }
            if socket >= 0 {
                guard !isLocal else { return .connection(socket, peer: "") }
                Self.set(socket, Int32(IPPROTO_TCP), TCP_NODELAY)
                return .connection(socket, peer: Self.name(storage, size))
            }
            switch errno {
            case EINTR, ECONNABORTED: continue
            case EMFILE, ENFILE, ENOBUFS, ENOMEM: return .exhausted
            default: return .nothing
            }
        }
    }

    private static func listen(_ family: Int32, _ address: [UInt8], _ wanted: ListenAddress) throws(ListenerError)
        -> Int32
    {
        let kind = Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue)
        let descriptor = socket(family, kind, 0)
        guard descriptor >= 0 else { throw .cannotBind(wanted, errno: errno) }
        if family != AF_UNIX { set(descriptor, SOL_SOCKET, SO_REUSEADDR) }
        if family == AF_INET6 { set(descriptor, Int32(IPPROTO_IPV6), IPV6_V6ONLY) }
        let bound = unsafe withSocketAddress(address) { unsafe bind(descriptor, $0, $1) }
        guard bound == 0, Glibc.listen(descriptor, 4096) == 0 else {
            let code = errno
            Glibc.close(descriptor)
            throw code == EADDRINUSE ? .addressInUse(wanted) : .cannotBind(wanted, errno: code)
        }
        return descriptor
    }

    /// Removes a socket file on which no server listens. A socket that answers is left alone.
    private static func removeStale(_ path: String, _ wanted: ListenAddress) throws(ListenerError) {
        var status = stat()
        guard unsafe lstat(path, &status) == 0 else { return }
        guard status.st_mode & S_IFMT == S_IFSOCK else { throw .notASocket(path: path) }
        let probe = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue), 0)
        guard probe >= 0 else { throw .cannotBind(wanted, errno: errno) }
        defer { Glibc.close(probe) }
        let answer = unsafe withSocketAddress(unixAddress(path)) { unsafe connect(probe, $0, $1) }
        guard answer != 0, errno == ECONNREFUSED else { throw .addressInUse(wanted) }
        _ = unsafe unlink(path)
    }

    private static func resolve(
        _ host: String,
        _ port: UInt16,
        _ wanted: ListenAddress
    ) throws(ListenerError) -> (Int32, [UInt8]) {
        var hints = unsafe addrinfo()
        unsafe hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        unsafe hints.ai_flags = AI_PASSIVE | AI_NUMERICSERV
        var list: UnsafeMutablePointer<addrinfo>?
        guard unsafe getaddrinfo(host, String(port), &hints, &list) == 0, let first = unsafe list else {
            throw .cannotBind(wanted, errno: EADDRNOTAVAIL)
        }
        defer { unsafe freeaddrinfo(first) }
        let bytes = unsafe UnsafeRawBufferPointer(start: first.pointee.ai_addr, count: Int(first.pointee.ai_addrlen))
        return unsafe (first.pointee.ai_family, Array(bytes))
    }

    private static func unixAddress(_ path: String) -> [UInt8] {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        return unsafe withUnsafeMutableBytes(of: &address) { bytes in
            let offset = MemoryLayout<sockaddr_un>.offset(of: \.sun_path) ?? 2
            for (index, byte) in path.utf8.prefix(107).enumerated() { unsafe bytes[offset + index] = byte }
            return unsafe Array(bytes)
        }
    }

    private static func withSocketAddress(
        _ bytes: [UInt8],
        _ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32
    ) -> Int32 {
        var storage = sockaddr_storage()
        return unsafe withUnsafeMutableBytes(of: &storage) { buffer in
            unsafe buffer.copyBytes(from: bytes)
            guard let base = buffer.baseAddress else { return -1 }
            return unsafe body(UnsafePointer(base.assumingMemoryBound(to: sockaddr.self)), socklen_t(bytes.count))
        }
    }

    private static func port(of descriptor: Int32) -> UInt16 {
        var storage = sockaddr_storage()
        var size = socklen_t(MemoryLayout<sockaddr_storage>.size)
        return unsafe withUnsafeMutableBytes(of: &storage) { bytes in
            guard let base = bytes.baseAddress else { return 0 }
            _ = unsafe getsockname(descriptor, base.assumingMemoryBound(to: sockaddr.self), &size)
            // In both families the port follows the family, in network order.
            return unsafe UInt16(bytes[2]) << 8 | UInt16(bytes[3])
        }
    }

    private static func name(_ storage: sockaddr_storage, _ size: socklen_t) -> String {
        var storage = storage
        var text = [CChar](repeating: 0, count: 64)
        let code = unsafe withUnsafeMutableBytes(of: &storage) { bytes in
            let address = unsafe bytes.baseAddress?.assumingMemoryBound(to: sockaddr.self)
            return unsafe getnameinfo(address, size, &text, 64, nil, 0, NI_NUMERICHOST)
        }
        guard code == 0 else { return "" }
        return String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    private static func set(_ socket: Int32, _ level: Int32, _ option: Int32) {
        var one: Int32 = 1
        _ = unsafe setsockopt(socket, level, option, &one, socklen_t(MemoryLayout<Int32>.size))
    }
}

internal import CLibwebsockets
internal import Glibc

/// A socket that the library does not have yet (`Quirk.startsTLSAtOnce`). Owns the descriptor until `release`. Loop
/// thread only. Must be released before the loop.
///
/// Safe because `io` is private, never moves, and is stopped before it is freed.
@safe final class SocketWatcher {
    private let loop: EventLoop
    private let io: UnsafeMutablePointer<ev_io>
    private(set) var descriptor: Int32

    /// Calls `NetworkLoop.proxyReadable` of `owner`, which must outlive the watcher: the watcher holds its bare
    /// address.
    init(_ descriptor: Int32, loop: EventLoop, owner: NetworkLoop) {
        self.loop = loop
        self.descriptor = descriptor
        unsafe io = .allocate(capacity: 1)
        unsafe io.initialize(to: ev_io())
        let owner = unsafe Unmanaged.passUnretained(owner).toOpaque()
        unsafe listener_io_start(loop.raw, io, descriptor, watchedSocketReadable, owner)
    }

    deinit {
        unsafe ev_io_stop(loop.raw, io)
        unsafe io.deallocate()
        if descriptor >= 0 { close(descriptor) }
    }

    /// The caller owns the descriptor from now on.
    func release() -> Int32 {
        unsafe ev_io_stop(loop.raw, io)
        defer { descriptor = -1 }
        return descriptor
    }

    enum Received {
        case bytes([UInt8])
        case nothing
        case ended
    }

    /// Reads up to `limit` bytes and leaves them in the socket.
    func peek(_ limit: Int) -> Received {
        receive(limit, Int32(MSG_PEEK))
    }

    /// Removes bytes that `peek` has returned.
    func take(_ count: Int) -> Received {
        receive(count, 0)
    }

    private func receive(_ limit: Int, _ flags: Int32) -> Received {
        var buffer = [UInt8](repeating: 0, count: limit)
        let count = unsafe recv(descriptor, &buffer, limit, flags)
        if count > 0 { return .bytes(Array(buffer[..<count])) }
        return count < 0 && (errno == EAGAIN || errno == EINTR) ? .nothing : .ended
    }
}

/// Called by libev on the serving thread when a watched socket has input. The watcher's data is the `NetworkLoop`,
/// which outlives it.
private func watchedSocketReadable(_ loop: OpaquePointer?, _ io: UnsafeMutablePointer<ev_io>?, _ events: Int32) {
    guard let io = unsafe io, let owner = unsafe io.pointee.data else { return }
    let descriptor = unsafe io.pointee.fd
    let loop = unsafe Unmanaged<NetworkLoop>.fromOpaque(owner).takeUnretainedValue()
    loop.assumeIsolated { $0.proxyReadable(descriptor) }
}

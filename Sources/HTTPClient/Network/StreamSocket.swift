internal import Glibc

/// One non-blocking TCP socket, closed when it is deinitialized. Never raises SIGPIPE.
final class StreamSocket {
    enum Received {
        /// The number of bytes read into the buffer.
        case bytes(Int)
        case wouldBlock
        case end
        case failed(errno: Int32)
    }

    let descriptor: Int32

    /// Starts to connect. The socket becomes writable when the attempt has succeeded or failed.
    init(connectingTo address: SocketAddress) throws(ConnectionError) {
        descriptor = SystemSocket.stream(family: address.family)
        guard descriptor >= 0 else { throw ConnectionError(.notConnected, "no socket (errno \(errno))") }
        setOption(SystemSocket.tcpLevel, TCP_NODELAY, 1)
        setOption(SOL_SOCKET, SO_KEEPALIVE, 1)
        let result = unsafe address.bytes.withUnsafeBytes { raw in
            unsafe connect(
                descriptor,
                raw.baseAddress?.assumingMemoryBound(to: sockaddr.self),
                socklen_t(raw.count)
            )
        }
        if result != 0, errno != EINPROGRESS {
            throw ConnectionError(.notConnected, "\(address) cannot be reached (errno \(errno))")
        }
    }

    deinit {
        if descriptor >= 0 { close(descriptor) }
    }

    /// The error of the connection attempt, once the socket is writable; 0 if it is connected.
    func connectFault() -> Int32 {
        var code: Int32 = 0
        var length = socklen_t(MemoryLayout<Int32>.size)
        guard unsafe getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &code, &length) == 0 else { return errno }
        return code
    }

    /// Overwrites the start of the buffer. If it is not filled, no more bytes are available now.
    func receive(into buffer: inout [UInt8]) -> Received {
        while true {
            let count = unsafe buffer.withUnsafeMutableBytes { unsafe recv(descriptor, $0.baseAddress, $0.count, 0) }
            if count > 0 { return .bytes(count) }
            if count == 0 { return .end }
            if errno == EINTR { continue }
            return errno == EAGAIN || errno == EWOULDBLOCK ? .wouldBlock : .failed(errno: errno)
        }
    }

    /// Returns the number of bytes that the system accepted: 0 if it accepts none now, `nil` if the connection has
    /// failed.
    func send(_ bytes: ArraySlice<UInt8>) -> Int? {
        while true {
            let count = unsafe bytes.withUnsafeBytes { unsafe SystemSocket.send(descriptor, $0) }
            if count >= 0 { return count }
            if errno == EINTR { continue }
            return errno == EAGAIN || errno == EWOULDBLOCK ? 0 : nil
        }
    }

    private func setOption(_ level: Int32, _ name: Int32, _ value: Int32) {
        var value = value
        _ = unsafe setsockopt(descriptor, level, name, &value, socklen_t(MemoryLayout<Int32>.size))
    }
}

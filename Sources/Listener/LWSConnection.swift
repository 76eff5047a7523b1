internal import CLibwebsockets
internal import Glibc

/// One connection of libwebsockets. Loop thread only; valid until `WSI_DESTROY`, when its `Connection` forgets it.
@safe struct LWSConnection {
    private let raw: OpaquePointer

    init(_ raw: OpaquePointer) {
        unsafe self.raw = raw
    }

    /// Bytes of an earlier write still wait in the library.
    var hasBacklog: Bool { unsafe lws_partial_buffered(raw) != 0 }

    /// As they are: an HTTP response's bytes, or whole WebSocket frames. What the kernel does not take now is copied
    /// and sent later, then `WRITEABLE` comes. False: the connection is broken.
    func write(_ bytes: [UInt8], from start: Int = 0, count: Int) -> Bool {
        unsafe bytes.withUnsafeBufferPointer { buffer in
            guard let base = buffer.baseAddress, count > 0 else { return true }
            let taken = unsafe socket?.offer(base + start, count) ?? 0
            guard taken < count else { return true }
            // The type asks for mutable bytes; LWS_WRITE_HTTP (which is RAW) only reads them.
            let rest = unsafe UnsafeMutablePointer(mutating: base + start + taken)
            return unsafe lws_write(raw, rest, count - taken, LWS_WRITE_HTTP) >= 0
        }
    }

    /// Past the library's way to the kernel; none with TLS or behind a backlog.
    var socket: Socket? {
        guard unsafe lws_is_ssl(raw) == 0, !hasBacklog else { return nil }
        return unsafe Socket(descriptor: lws_get_socket_fd(raw))
    }

    /// Valid until the library is called again: it may close it.
    @safe struct Socket {
        let descriptor: Int32

        /// How many of the bytes the kernel has taken. What is wrong with the socket shows when the library tries the
        /// rest.
        func offer(_ bytes: [UInt8]) -> Int {
            unsafe bytes.withUnsafeBufferPointer { buffer in
                guard let base = buffer.baseAddress else { return 0 }
                return unsafe offer(base, buffer.count)
            }
        }

        fileprivate func offer(_ bytes: UnsafePointer<UInt8>, _ count: Int) -> Int {
            unsafe max(0, send(descriptor, bytes, count, listener_send_flags))
        }
    }

    /// The peer sees the end, of TLS by its `close_notify`; what it still sends can be read. The library does neither
    /// in its raw role.
    func endOutput() {
        if unsafe lws_is_ssl(raw) != 0 { unsafe listener_end_tls(raw) }
        _ = unsafe shutdown(lws_get_socket_fd(raw), Int32(SHUT_WR))
    }

    func askWriteable() {
        unsafe lws_callback_on_writable(raw)
    }

    /// Closes in the next turn of the loop. What the library still holds is lost.
    func closeSoon() {
        unsafe lws_set_timeout(raw, PENDING_TIMEOUT_USER_REASON_BASE, LWS_TO_KILL_ASYNC)
    }

    func stopTimeout() {
        unsafe lws_set_timeout(raw, NO_PENDING_TIMEOUT, 0)
    }
}

/// What the kernel knows of the bytes that were written.
extension LWSConnection {
    /// By the peer's kernel; `nil` where ours does not count (unix sockets).
    var bytesAcknowledged: UInt64? { unsafe TCPCounter.acknowledged(lws_get_socket_fd(raw)) }

    /// The peer has shut down its side, or the connection is broken. Asks the kernel; reads nothing.
    var isEndedByPeer: Bool {
        var entry = unsafe pollfd(fd: lws_get_socket_fd(raw), events: listener_ended_by_peer, revents: 0)
        return unsafe poll(&entry, 1, 0) > 0
    }

    /// The kernel holds bytes that have not reached the peer (tcp(7), SIOCOUTQ).
    var hasUnacknowledged: Bool {
        var waiting: Int32 = 0
        return unsafe ioctl(lws_get_socket_fd(raw), UInt(TIOCOUTQ), &waiting) == 0 && waiting > 0
    }
}

/// Reading on request.
extension LWSConnection {
    /// The library's raw role polls for input that it does not read while it holds output: the loop would spin on it.
    /// So reading is switched off with the first byte that waits.
    func setReading(_ isOn: Bool) {
        unsafe lws_rx_flow_control(raw, isOn ? 1 : 0)
    }

    /// For listening sockets.
    func pause() { setReading(false) }
}

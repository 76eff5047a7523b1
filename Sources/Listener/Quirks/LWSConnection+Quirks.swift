internal import CLibwebsockets
internal import Glibc

/// Operations that the library lacks, or performs too slowly, done directly on its sockets.
extension LWSConnection {
    /// The socket, for writes that bypass the library (`Quirk.slowWrite`). nil with TLS, or while bytes wait in the
    /// library.
    var socket: Socket? {
        guard unsafe lws_is_ssl(raw) == 0, !hasBacklog else { return nil }
        return unsafe Socket(descriptor: lws_get_socket_fd(raw))
    }

    /// Valid until the library is called again, which may close it.
    struct Socket {
        let descriptor: Int32

        /// Returns how many of the bytes the kernel has accepted. A broken socket accepts none; the error appears when
        /// the library tries the rest.
        func offer(_ bytes: [UInt8]) -> Int {
            unsafe bytes.withUnsafeBufferPointer { buffer in
                guard let base = buffer.baseAddress else { return 0 }
                return unsafe offer(base, buffer.count)
            }
        }

        @unsafe func offer(_ bytes: UnsafePointer<UInt8>, _ count: Int) -> Int {
            unsafe max(0, send(descriptor, bytes, count, listener_send_flags))
        }
    }

    /// Signals the end of the output to the peer, with TLS by `close_notify`. Input that the peer still sends can be
    /// read (`Quirk.closesWithoutAnEnd`).
    func endOutput() {
        if unsafe lws_is_ssl(raw) != 0 { unsafe listener_end_tls(raw) }
        _ = unsafe shutdown(lws_get_socket_fd(raw), Int32(SHUT_WR))
    }

    /// Closes in the next turn of the loop (`Quirk.closesOnlyFromItsCallback`). Data that the library still holds is
    /// lost.
    func closeSoon() {
        unsafe lws_set_timeout(raw, PENDING_TIMEOUT_USER_REASON_BASE, LWS_TO_KILL_ASYNC)
    }

    /// See `Quirk.keepsTheHandshakeTimeout`.
    func stopTimeout() {
        unsafe lws_set_timeout(raw, NO_PENDING_TIMEOUT, 0)
    }

    /// See `Quirk.pollsUnreadInput`.
    func setReading(_ isOn: Bool) {
        unsafe lws_rx_flow_control(raw, isOn ? 1 : 0)
    }

    /// The peer has shut down its side, or the connection is broken (`Quirk.hidesTheEndWhileUnread`). Asks the kernel
    /// without reading.
    var isEndedByPeer: Bool {
        var entry = unsafe pollfd(fd: lws_get_socket_fd(raw), events: listener_ended_by_peer, revents: 0)
        return unsafe poll(&entry, 1, 0) > 0
    }

    /// Number of bytes that the peer's kernel has acknowledged (`Quirk.hidesWriteProgress`); nil if our kernel does not
    /// count them (unix sockets).
    var bytesAcknowledged: UInt64? { unsafe TCPCounter.acknowledged(lws_get_socket_fd(raw)) }

    /// Whether the socket has received bytes that the library has not read (tcp(7), SIOCINQ).
    var hasUnread: Bool {
        var waiting: Int32 = 0
        return unsafe ioctl(lws_get_socket_fd(raw), UInt(FIONREAD), &waiting) == 0 && waiting > 0
    }

    /// The kernel holds bytes that have not reached the peer (tcp(7), SIOCOUTQ).
    var hasUnacknowledged: Bool {
        var waiting: Int32 = 0
        return unsafe ioctl(lws_get_socket_fd(raw), UInt(TIOCOUTQ), &waiting) == 0 && waiting > 0
    }
}

internal import CLibwebsockets
internal import Glibc

/// One connection of libwebsockets. Loop thread only; valid until `WSI_DESTROY`, when its `Connection` forgets it.
@safe struct Wire {
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

    /// The peer sees the end; what it still sends can be read. Not with TLS, whose own closing comes later.
    func endOutput() {
        guard unsafe lws_is_ssl(raw) == 0 else { return }
        _ = unsafe shutdown(lws_get_socket_fd(raw), Int32(SHUT_WR))
    }

    func askWriteable() {
        unsafe lws_callback_on_writable(raw)
    }

    /// Closes in the next turn of the loop. Gentle: what waits is flushed within 5 s.
    func closeSoon(gently: Bool) {
        let reason = gently ? PENDING_TIMEOUT_HTTP_KEEPALIVE_IDLE : PENDING_TIMEOUT_USER_REASON_BASE
        unsafe lws_set_timeout(raw, reason, LWS_TO_KILL_ASYNC)
    }

    func stopTimeout() {
        unsafe lws_set_timeout(raw, NO_PENDING_TIMEOUT, 0)
    }

    /// Ends the exchange; the next one may begin. False: the connection has to close.
    func completeTransaction() -> Bool {
        unsafe lws_http_transaction_completed(raw) == 0
    }

    /// Of the request's first line the library has the target already, or a part of it.
    var isReadingHead: Bool {
        Self.requestTargets.contains { unsafe lws_hdr_total_length(raw, $0) > 0 }
    }

    /// The library keeps it under the name of the method.
    private static let requestTargets = [
        WSI_TOKEN_GET_URI, WSI_TOKEN_POST_URI, WSI_TOKEN_OPTIONS_URI, WSI_TOKEN_PUT_URI, WSI_TOKEN_PATCH_URI,
        WSI_TOKEN_DELETE_URI, WSI_TOKEN_HEAD_URI,
    ]

    /// After `completeTransaction`, where nothing is left of the answer. The library looks at the next request only
    /// when it has heard that the socket takes more, for which it would switch polling on and off and wait for a turn
    /// of the loop. Not inside a callback of this connection.
    func announceWriteable() {
        var descriptor = unsafe pollfd(fd: lws_get_socket_fd(raw), events: Int16(POLLOUT), revents: Int16(POLLOUT))
        _ = unsafe lws_service_fd(lws_get_context(raw), &descriptor)
    }

    var isBinary: Bool { unsafe lws_frame_is_binary(raw) != 0 }
    var endsMessage: Bool {
        unsafe lws_is_final_fragment(raw) != 0 && lws_remaining_packet_payload(raw) == 0
    }
    /// Of a frame, at its last piece.
    var endsFrame: Bool { remainingPayload == 0 }
    /// Of the frame that is being received.
    var remainingPayload: Int { unsafe lws_remaining_packet_payload(raw) }
}

/// What the kernel knows of the bytes that were written.
extension Wire {
    /// By the peer's kernel; `nil` where ours does not count (unix sockets).
    var bytesAcknowledged: UInt64? { unsafe TCPCounter.acknowledged(lws_get_socket_fd(raw)) }

    /// The kernel holds bytes that have not reached the peer (tcp(7), SIOCOUTQ).
    var hasUnacknowledged: Bool {
        var waiting: Int32 = 0
        return unsafe ioctl(lws_get_socket_fd(raw), UInt(TIOCOUTQ), &waiting) == 0 && waiting > 0
    }
}

/// Telling whether a request was in the socket or left over from the read of the one before.
///
/// libwebsockets 4.1.6 reads the body of a left-over request from the wrong place, and may never come back from that:
/// such a request must be stopped at its head.
extension Wire {
    /// Asked while a head is handed over: whether the library holds received bytes of this connection that it has not
    /// used, as it does while it reads a head that was left over. It tells only for all connections together: true may
    /// mean another's.
    var mayHaveLeftOver: Bool {
        unsafe lws_service_adjust_timeout(lws_get_context(raw), 1, 0) == 0
    }
}

/// Keeping the library from reading, so that it does not spin on bytes that it cannot use yet.
///
/// While an answer is awaited, libwebsockets 4.1.6 polls for input that it then does not read, and while reading is
/// switched off by `lws_rx_flow_control` it does not handle "writeable" either. Between the two there is a state that
/// it reaches only inside a callback whose non-zero result keeps it from applying a change: not polled for input, yet
/// not marked as switched off.
extension Wire {
    /// Only in `HTTP_WRITEABLE`, which must then return 1: input is not polled for, output works.
    func parkReading() {
        unsafe lws_rx_flow_control(raw, Self.now)
        unsafe lws_rx_flow_control(raw, 1)
    }

    /// Only in a second `HTTP_WRITEABLE` that nobody asked for, which must then return 1: received bytes wait in the
    /// library and would wake it again and again. Output is not handled until `resumeReading`.
    func silence() {
        unsafe lws_rx_flow_control(raw, 0)
    }

    /// Anywhere: undoes both.
    func resumeReading() {
        unsafe lws_rx_flow_control(raw, Self.now)
        unsafe lws_rx_flow_control(raw, Self.now | 1)
    }

    private static let now = Int32(LWS_RXFLOW_REASON_FLAG_PROCESS_NOW)

    /// Switches reading off for good or for a while where no output is expected (listening sockets).
    func pause() {
        unsafe lws_rx_flow_control(raw, 0)
    }
}

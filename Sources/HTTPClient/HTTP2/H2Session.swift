internal import CNghttp2

/// One client `nghttp2_session`. It converts between bytes and events and does no I/O. Used by one thread.
/// https://nghttp2.org/documentation/programmers-guide.html
///
/// Safe because the handle is private and freed only in `deinit`, before the table that its callbacks write to.
@safe package final class H2Session {
    private let handle: OpaquePointer
    /// The callbacks write to it. It must be released after the session is freed.
    private let table: H2StreamTable

    /// - Parameter keptFields: header fields of answers to keep, in lower case. Others are dropped.
    init(keptFields: [String]) throws(ConnectionError) {
        let failure = ConnectionError(.outOfMemory, "no HTTP/2 session")
        let table = H2StreamTable(keptFields: keptFields)
        var options: OpaquePointer?
        var callbacks: OpaquePointer?
        guard unsafe nghttp2_option_new(&options) == 0, unsafe nghttp2_session_callbacks_new(&callbacks) == 0 else {
            throw failure
        }
        defer {
            unsafe nghttp2_option_del(options)
            unsafe nghttp2_session_callbacks_del(callbacks)
        }
        // Before the peer's first SETTINGS assume a limit of one stream, instead of nghttp2's 100.
        unsafe nghttp2_option_set_peer_max_concurrent_streams(options, 1)
        unsafe nghttp2_session_callbacks_set_on_frame_recv_callback(callbacks, h2FrameReceived)
        unsafe nghttp2_session_callbacks_set_on_frame_send_callback(callbacks, h2FrameSent)
        unsafe nghttp2_session_callbacks_set_on_header_callback(callbacks, h2HeaderReceived)
        unsafe nghttp2_session_callbacks_set_on_data_chunk_recv_callback(callbacks, h2DataReceived)
        unsafe nghttp2_session_callbacks_set_on_stream_close_callback(callbacks, h2StreamClosed)
        var handle: OpaquePointer?
        let context = unsafe Unmanaged.passUnretained(table).toOpaque()
        guard unsafe nghttp2_session_client_new2(&handle, callbacks, context, options) == 0,
            let handle = unsafe handle
        else { throw failure }
        unsafe self.handle = handle
        self.table = table
        let settings = [nghttp2_settings_entry(settings_id: Int32(NGHTTP2_SETTINGS_ENABLE_PUSH.rawValue), value: 0)]
        guard unsafe nghttp2_submit_settings(handle, 0, settings, settings.count) == 0 else { throw failure }
    }

    deinit {
        unsafe nghttp2_session_del(handle)
    }

    /// Processes decrypted bytes of the connection. After a failure the session is unusable.
    func receive(_ bytes: [UInt8]) throws(ConnectionError) {
        guard !bytes.isEmpty else { return }
        let count = unsafe nghttp2_session_mem_recv(handle, bytes, bytes.count)
        guard count == bytes.count else {
            throw ConnectionError(.protocolViolation, "HTTP/2 error: \(H2Session.text(Int32(clamping: count)))")
        }
    }

    /// Appends pending output to `bytes` until it has at least `limit` bytes or nothing is pending.
    func write(to bytes: inout [UInt8], limit: Int) throws(ConnectionError) {
        while bytes.count < limit {
            var start: UnsafePointer<UInt8>?
            let count = unsafe nghttp2_session_mem_send(handle, &start)
            guard count >= 0 else {
                throw ConnectionError(.protocolViolation, "HTTP/2 error: \(H2Session.text(Int32(clamping: count)))")
            }
            if count == 0 { return }
            // The bytes are valid only until the next call.
            unsafe bytes.append(contentsOf: UnsafeBufferPointer(start: start, count: count))
        }
    }

    /// Returns the oldest event that has not been taken.
    package func nextEvent() -> H2Event? { table.nextEvent() }

    /// Queues a request. It may reuse the slot of an ended stream, so take all events first.
    /// - Returns: `nil` if the connection accepts no more requests.
    package func submit(_ headers: H2HeaderBlock, body: [UInt8]) -> H2Stream? {
        guard unsafe nghttp2_session_check_request_allowed(handle) != 0 else { return nil }
        let slot = table.open(body: body)
        var provider = unsafe nghttp2_data_provider(source: .init(fd: Int32(slot)), read_callback: h2ReadBody)
        let userData = unsafe UnsafeMutableRawPointer(bitPattern: slot + 1)
        let id = unsafe headers.withFields { fields in
            unsafe nghttp2_submit_request(handle, nil, fields.baseAddress, fields.count, &provider, userData)
        }
        guard id > 0 else {
            table.discard(slot)
            return nil
        }
        table.opened(slot, as: id)
        return H2Stream(slot: slot, id: id)
    }

    /// The response received so far on an open stream.
    package func response(on stream: H2Stream) -> H2Response? { table.response(stream) }

    /// Cancels a stream. Its end is reported as an event.
    package func cancel(_ stream: H2Stream) {
        _ = unsafe nghttp2_submit_rst_stream(handle, 0, stream.id, H2ErrorCode.cancel)
    }

    package func ping(_ payload: UInt64) {
        _ = unsafe withUnsafeBytes(of: payload) { raw in
            unsafe nghttp2_submit_ping(handle, 0, raw.baseAddress?.assumingMemoryBound(to: UInt8.self))
        }
    }

    /// Queues a GOAWAY without an error.
    func goAway() {
        _ = unsafe nghttp2_submit_goaway(handle, 0, nghttp2_session_get_last_proc_stream_id(handle), 0, nil, 0)
    }

    /// The connection is lost: every open stream ends with an event with this code.
    func abandonStreams() { table.abandonAll(code: H2ErrorCode.cancel) }

    /// Whether there is nothing more to receive or send, so that the connection must be closed. After a protocol
    /// violation this becomes true when the GOAWAY has been written.
    var isOver: Bool {
        unsafe nghttp2_session_want_read(handle) == 0 && nghttp2_session_want_write(handle) == 0
    }

    private static func text(_ code: Int32) -> String {
        unsafe String(cString: nghttp2_strerror(code))
    }
}

internal import CLibwebsockets

/// One connection of libwebsockets. Loop thread only; valid until `WSI_DESTROY`, when its `Connection` forgets it.
///
/// Safe because only callbacks of the library make one, and its `Connection` drops it before the library frees it.
@safe struct LWSConnection {
    let raw: OpaquePointer

    init(_ raw: OpaquePointer) {
        unsafe self.raw = raw
    }

    /// Bytes of an earlier write still wait in the library.
    var hasBacklog: Bool { unsafe lws_partial_buffered(raw) != 0 }

    /// Sends bytes unchanged: those of an HTTP response, or whole WebSocket frames. The library copies what the kernel
    /// does not accept now, sends it later, and then reports `WRITEABLE`. Returns false if the connection is broken.
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

    func askWriteable() {
        unsafe lws_callback_on_writable(raw)
    }
}

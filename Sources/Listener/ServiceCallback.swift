internal import CLibwebsockets

/// What libwebsockets tells the loop. Bytes are borrowed for the call.
enum ServiceEvent {
    case wake
    case listenerReadable
    case request(HeaderReader)
    case upgrade(HeaderReader)
    case body(BorrowedBytes)
    case bodyEnd
    case httpWriteable
    case addHeaders(HandshakeHeaders)
    case opened
    case message(BorrowedBytes)
    /// A close frame; libwebsockets answers it.
    case peerClosed
    case pong
    case socketWriteable
    case destroyed
    /// A connection that is no HTTP: CONNECT, or bytes of another protocol.
    case raw
}

/// Bytes of libwebsockets, lent for one callback.
@safe struct BorrowedBytes {
    private let bytes: UnsafeRawBufferPointer

    fileprivate init(_ start: UnsafeMutableRawPointer?, _ count: Int) {
        unsafe bytes = UnsafeRawBufferPointer(start: start, count: start == nil ? 0 : count)
    }

    var count: Int { unsafe bytes.count }

    func append(to array: inout [UInt8]) {
        unsafe array.append(contentsOf: bytes)
    }
}

/// Room for more headers in the 101 of an upgrade, lent for one callback.
@safe struct HandshakeHeaders {
    private let area: UnsafeMutablePointer<lws_process_html_args>

    fileprivate init(_ area: UnsafeMutableRawPointer) {
        unsafe self.area = area.assumingMemoryBound(to: lws_process_html_args.self)
    }

    /// Left out where there is no room. The caller has found both harmless.
    func add(_ name: String, _ value: String) {
        let line = Array("\(name): \(value)\r\n".utf8)
        guard let target = unsafe area.pointee.p, unsafe line.count < Int(area.pointee.max_len) else { return }
        for (offset, byte) in line.enumerated() { unsafe target[offset] = CChar(bitPattern: byte) }
        unsafe area.pointee.p = target + line.count
        unsafe area.pointee.max_len -= Int32(line.count)
    }
}

/// Called by libwebsockets on the thread that serves the context, for every connection and for the context itself. The
/// context's user pointer is the `NetworkLoop`, which outlives it. A non-zero result closes the connection, save where
/// `Wire.parkReading` says otherwise.
func loopServiceCallback(
    _ wsi: OpaquePointer?,
    _ reason: lws_callback_reasons,
    _ user: UnsafeMutableRawPointer?,
    _ input: UnsafeMutableRawPointer?,
    _ length: Int
) -> Int32 {
    guard let wsi = unsafe wsi, let event = unsafe serviceEvent(wsi, reason, input, length) else { return 0 }
    guard let context = unsafe lws_get_context(wsi), let owner = unsafe lws_context_user(context) else { return 0 }
    let loop = unsafe Unmanaged<NetworkLoop>.fromOpaque(owner).takeUnretainedValue()
    let id = unsafe UInt64(UInt(bitPattern: lws_get_opaque_user_data(wsi)))
    return unsafe loop.serveHere(event, from: id, Wire(wsi))
}

private func serviceEvent(
    _ wsi: OpaquePointer,
    _ reason: lws_callback_reasons,
    _ input: UnsafeMutableRawPointer?,
    _ length: Int
) -> ServiceEvent? {
    switch reason {
    case LWS_CALLBACK_EVENT_WAIT_CANCELLED: return .wake
    case LWS_CALLBACK_RAW_RX_FILE: return .listenerReadable
    case LWS_CALLBACK_HTTP: return unsafe .request(HeaderReader(wsi))
    case LWS_CALLBACK_HTTP_CONFIRM_UPGRADE: return unsafe .upgrade(HeaderReader(wsi))
    case LWS_CALLBACK_HTTP_BODY: return unsafe .body(BorrowedBytes(input, length))
    case LWS_CALLBACK_HTTP_BODY_COMPLETION: return .bodyEnd
    case LWS_CALLBACK_HTTP_WRITEABLE: return .httpWriteable
    case LWS_CALLBACK_ADD_HEADERS:
        return unsafe input.map { unsafe .addHeaders(HandshakeHeaders($0)) }
    case LWS_CALLBACK_ESTABLISHED: return .opened
    case LWS_CALLBACK_RECEIVE: return unsafe .message(BorrowedBytes(input, length))
    case LWS_CALLBACK_WS_PEER_INITIATED_CLOSE: return .peerClosed
    case LWS_CALLBACK_RECEIVE_PONG: return .pong
    case LWS_CALLBACK_SERVER_WRITEABLE: return .socketWriteable
    case LWS_CALLBACK_WSI_DESTROY: return .destroyed
    case LWS_CALLBACK_RAW_ADOPT, LWS_CALLBACK_RAW_CONNECTED, LWS_CALLBACK_RAW_RX: return .raw
    default: return nil
    }
}

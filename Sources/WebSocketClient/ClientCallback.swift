internal import CLibwebsockets

/// A piece of a message, lent for one callback.
struct BorrowedPiece {
    let bytes: [UInt8]
    let isFirst: Bool
    let isLast: Bool
    let isBinary: Bool
}

/// Called by libwebsockets on the thread that serves the context. The context's user pointer is the `ClientLoop`, which
/// outlives it. A result other than 0 closes the connection.
func clientServiceCallback(
    _ wsi: OpaquePointer?,
    _ reason: lws_callback_reasons,
    _ user: UnsafeMutableRawPointer?,
    _ input: UnsafeMutableRawPointer?,
    _ length: Int
) -> Int32 {
    guard let wsi = unsafe wsi, let context = unsafe lws_get_context(wsi), let owner = unsafe lws_context_user(context)
    else { return 0 }
    let loop = unsafe Unmanaged<ClientLoop>.fromOpaque(owner).takeUnretainedValue()
    return unsafe serve(loop, wsi, reason, input, length) ? 0 : -1
}

private func serve(
    _ loop: ClientLoop,
    _ wsi: OpaquePointer,
    _ reason: lws_callback_reasons,
    _ input: UnsafeMutableRawPointer?,
    _ length: Int
) -> Bool {
    let wire = unsafe ClientWire(wsi)
    switch reason {
    case LWS_CALLBACK_CLIENT_APPEND_HANDSHAKE_HEADER: return unsafe appendHeaders(loop, wsi, input, length)
    // A redirection would take the key to another place.
    case LWS_CALLBACK_CLIENT_HTTP_REDIRECT: return false
    case LWS_CALLBACK_CLIENT_ESTABLISHED:
        unsafe loop.connected = wsi
        return loop.established(wire)
    case LWS_CALLBACK_CLIENT_RECEIVE:
        let piece = unsafe BorrowedPiece(
            bytes: copy(input, length),
            isFirst: lws_is_first_fragment(wsi) != 0,
            isLast: lws_is_final_fragment(wsi) != 0,
            isBinary: lws_frame_is_binary(wsi) != 0
        )
        return loop.received(piece, wire)
    case LWS_CALLBACK_CLIENT_RECEIVE_PONG: return loop.heardPong()
    case LWS_CALLBACK_CLIENT_WRITEABLE: return loop.writeable(wire)
    case LWS_CALLBACK_TIMER: return loop.timerFired(wire)
    case LWS_CALLBACK_EVENT_WAIT_CANCELLED:
        // Not about the connection of this callback.
        unsafe loop.woken(loop.connected.map { unsafe ClientWire($0) })
        return true
    case LWS_CALLBACK_WS_PEER_INITIATED_CLOSE:
        let bytes = unsafe copy(input, length)
        let code = bytes.count >= 2 ? Int(bytes[0]) << 8 | Int(bytes[1]) : nil
        loop.closedByPeer(code: code, reason: String(decoding: bytes.dropFirst(2), as: UTF8.self))
        return true
    case LWS_CALLBACK_CLIENT_CONNECTION_ERROR:
        let status = unsafe Int(lws_http_client_http_response(wsi))
        loop.connectionFailed(status: status, reason: unsafe String(decoding: copy(input, length), as: UTF8.self))
        return true
    case LWS_CALLBACK_CLIENT_CLOSED:
        unsafe loop.connected = nil
        loop.closed()
        return true
    default: return true
    }
}

private func copy(_ bytes: UnsafeMutableRawPointer?, _ count: Int) -> [UInt8] {
    guard let bytes = unsafe bytes, count > 0 else { return [] }
    return unsafe Array(UnsafeRawBufferPointer(start: bytes, count: count))
}

private func appendHeaders(
    _ loop: ClientLoop,
    _ wsi: OpaquePointer,
    _ input: UnsafeMutableRawPointer?,
    _ length: Int
) -> Bool {
    guard let input = unsafe input else { return false }
    let place = unsafe input.assumingMemoryBound(to: UnsafeMutablePointer<UInt8>?.self)
    guard let start = unsafe place.pointee else { return false }
    let value = Array("Bearer \(loop.endpoint.key)".utf8)
    return unsafe lws_add_http_header_by_token(
        wsi,
        WSI_TOKEN_HTTP_AUTHORIZATION,
        value,
        Int32(value.count),
        place,
        start + length
    ) == 0
}

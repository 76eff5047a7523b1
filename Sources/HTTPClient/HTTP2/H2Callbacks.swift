internal import CNghttp2

// nghttp2 calls these inside nghttp2_session_mem_recv or _mem_send, on the thread of the session's owner. `context`
// is the session's unretained H2StreamTable, which outlives the session (see H2Session). None of them calls the
// session's send or receive functions, which nghttp2 forbids.

private func table(_ context: UnsafeMutableRawPointer?) -> H2StreamTable? {
    unsafe context.map { unsafe Unmanaged<H2StreamTable>.fromOpaque($0).takeUnretainedValue() }
}

/// The slot of a stream in the table. nghttp2 stores it as the stream's user data, plus one, because null means none.
/// Returns `nil` if the stream is not open.
private func slot(_ session: OpaquePointer?, _ stream: Int32) -> Int? {
    unsafe nghttp2_session_get_stream_user_data(session, stream).map { Int(bitPattern: $0) - 1 }
}

func h2FrameReceived(
    _ session: OpaquePointer?,
    _ frame: UnsafePointer<nghttp2_frame>?,
    _ context: UnsafeMutableRawPointer?
) -> Int32 {
    guard let table = unsafe table(context), let frame = unsafe frame?.pointee else { return 0 }
    let header = unsafe frame.hd
    let isAcknowledgement = header.flags & UInt8(NGHTTP2_FLAG_ACK.rawValue) != 0
    switch UInt32(header.type) {
    case NGHTTP2_SETTINGS.rawValue where !isAcknowledgement:
        let limit = unsafe nghttp2_session_get_remote_settings(session, NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS)
        table.append(.settings(maxConcurrentStreams: limit))
    case NGHTTP2_GOAWAY.rawValue:
        let goAway = unsafe frame.goaway
        let debug = unsafe UnsafeBufferPointer(start: goAway.opaque_data, count: min(256, goAway.opaque_data_len))
        table.append(
            unsafe .goAway(
                lastStreamID: goAway.last_stream_id,
                code: goAway.error_code,
                debugText: String(decoding: debug, as: UTF8.self)
            )
        )
    case NGHTTP2_PING.rawValue where isAcknowledgement:
        let payload = unsafe withUnsafeBytes(of: frame.ping.opaque_data) { unsafe $0.loadUnaligned(as: UInt64.self) }
        table.append(.pong(payload))
    default: break
    }
    return 0
}

func h2FrameSent(
    _ session: OpaquePointer?,
    _ frame: UnsafePointer<nghttp2_frame>?,
    _ context: UnsafeMutableRawPointer?
) -> Int32 {
    guard let header = unsafe frame?.pointee.hd, UInt32(header.type) == NGHTTP2_HEADERS.rawValue,
        let slot = unsafe slot(session, header.stream_id)
    else { return 0 }
    unsafe table(context)?.sentHeaders(slot)
    return 0
}

func h2HeaderReceived(
    _ session: OpaquePointer?,
    _ frame: UnsafePointer<nghttp2_frame>?,
    _ name: UnsafePointer<UInt8>?,
    _ nameLength: Int,
    _ value: UnsafePointer<UInt8>?,
    _ valueLength: Int,
    _ flags: UInt8,
    _ context: UnsafeMutableRawPointer?
) -> Int32 {
    let name = unsafe UnsafeBufferPointer(start: name, count: nameLength)
    guard let table = unsafe table(context), let field = unsafe table.field(named: name),
        let stream = unsafe frame?.pointee.hd.stream_id, let slot = unsafe slot(session, stream)
    else { return 0 }
    unsafe table.received(slot, field, value: UnsafeBufferPointer(start: value, count: valueLength))
    return 0
}

func h2DataReceived(
    _ session: OpaquePointer?,
    _ flags: UInt8,
    _ stream: Int32,
    _ data: UnsafePointer<UInt8>?,
    _ length: Int,
    _ context: UnsafeMutableRawPointer?
) -> Int32 {
    guard let slot = unsafe slot(session, stream) else { return 0 }
    unsafe table(context)?.received(slot, body: UnsafeBufferPointer(start: data, count: length))
    return 0
}

func h2StreamClosed(
    _ session: OpaquePointer?,
    _ stream: Int32,
    _ code: UInt32,
    _ context: UnsafeMutableRawPointer?
) -> Int32 {
    guard let slot = unsafe slot(session, stream) else { return 0 }
    unsafe table(context)?.closed(slot, code: code)
    return 0
}

/// The `nghttp2_data_source_read_callback` of every request. It copies the next part of the body. The source contains
/// the slot.
func h2ReadBody(
    _ session: OpaquePointer?,
    _ stream: Int32,
    _ buffer: UnsafeMutablePointer<UInt8>?,
    _ length: Int,
    _ flags: UnsafeMutablePointer<UInt32>?,
    _ source: UnsafeMutablePointer<nghttp2_data_source>?,
    _ context: UnsafeMutableRawPointer?
) -> Int {
    let space = unsafe UnsafeMutableBufferPointer(start: buffer, count: length)
    guard let slot = unsafe source?.pointee.fd,
        let part = unsafe table(context)?.nextBody(Int(slot), into: space)
    else { return Int(NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE.rawValue) }
    if part.isEnd { unsafe flags?.pointee |= NGHTTP2_DATA_FLAG_EOF.rawValue }
    return part.count
}

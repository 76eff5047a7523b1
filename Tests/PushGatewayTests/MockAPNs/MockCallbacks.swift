import CNghttp2

// Called by nghttp2 inside mem_recv and mem_send on the mock's thread; the context is the connection, which frees the
// session before itself.

func mockSession(for connection: MockConnection, answersPings: Bool) -> OpaquePointer? {
    var callbacks: OpaquePointer?
    var options: OpaquePointer?
    nghttp2_session_callbacks_new(&callbacks)
    nghttp2_option_new(&options)
    defer {
        nghttp2_session_callbacks_del(callbacks)
        nghttp2_option_del(options)
    }
    nghttp2_option_set_no_auto_ping_ack(options, answersPings ? 0 : 1)
    nghttp2_session_callbacks_set_on_begin_headers_callback(callbacks, mockBeginHeaders)
    nghttp2_session_callbacks_set_on_header_callback(callbacks, mockHeader)
    nghttp2_session_callbacks_set_on_data_chunk_recv_callback(callbacks, mockData)
    nghttp2_session_callbacks_set_on_frame_recv_callback(callbacks, mockFrame)
    nghttp2_session_callbacks_set_on_stream_close_callback(callbacks, mockClose)
    var session: OpaquePointer?
    let context = Unmanaged.passUnretained(connection).toOpaque()
    nghttp2_session_server_new2(&session, callbacks, context, options)
    return session
}

private func connection(_ context: UnsafeMutableRawPointer?) -> MockConnection {
    Unmanaged<MockConnection>.fromOpaque(context!).takeUnretainedValue()
}

private func mockBeginHeaders(
    _ session: OpaquePointer?,
    _ frame: UnsafePointer<nghttp2_frame>?,
    _ context: UnsafeMutableRawPointer?
) -> Int32 {
    let connection = connection(context)
    let stream = frame!.pointee.hd.stream_id
    connection.building[stream] = MockRequest(connection: connection.number, stream: stream)
    connection.open.insert(stream)
    let count = connection.open.count
    let isTooMany = connection.acknowledgedLimit.map { count > Int($0) } ?? false
    connection.mock.note { record in
        record.maxOpenStreams = max(record.maxOpenStreams, count)
        if isTooMany { record.limitViolations += 1 }
    }
    return 0
}

private func mockHeader(
    _ session: OpaquePointer?,
    _ frame: UnsafePointer<nghttp2_frame>?,
    _ name: UnsafePointer<UInt8>?,
    _ nameLength: Int,
    _ value: UnsafePointer<UInt8>?,
    _ valueLength: Int,
    _ flags: UInt8,
    _ context: UnsafeMutableRawPointer?
) -> Int32 {
    let name = String(decoding: UnsafeBufferPointer(start: name, count: nameLength), as: UTF8.self)
    let value = String(decoding: UnsafeBufferPointer(start: value, count: valueLength), as: UTF8.self)
    let isIndexed = flags & UInt8(NGHTTP2_NV_FLAG_NO_INDEX.rawValue) == 0
    connection(context).building[frame!.pointee.hd.stream_id]?.fields.append((name, value, isIndexed))
    return 0
}

private func mockData(
    _ session: OpaquePointer?,
    _ flags: UInt8,
    _ stream: Int32,
    _ data: UnsafePointer<UInt8>?,
    _ length: Int,
    _ context: UnsafeMutableRawPointer?
) -> Int32 {
    connection(context).building[stream]?.body.append(contentsOf: UnsafeBufferPointer(start: data, count: length))
    return 0
}

private func mockFrame(
    _ session: OpaquePointer?,
    _ frame: UnsafePointer<nghttp2_frame>?,
    _ context: UnsafeMutableRawPointer?
) -> Int32 {
    let connection = connection(context)
    let header = frame!.pointee.hd
    let isAcknowledgement = header.flags & UInt8(NGHTTP2_FLAG_ACK.rawValue) != 0
    switch UInt32(header.type) {
    case NGHTTP2_SETTINGS.rawValue where isAcknowledgement:
        if let limit = connection.announcedLimits.removeFirst() { connection.acknowledgedLimit = limit }
    case NGHTTP2_HEADERS.rawValue, NGHTTP2_DATA.rawValue:
        guard header.flags & UInt8(NGHTTP2_FLAG_END_STREAM.rawValue) != 0,
            let request = connection.building.removeValue(forKey: header.stream_id)
        else { break }
        connection.complete.append(request)
    case NGHTTP2_PRIORITY.rawValue: connection.mock.note { $0.priorityFrames += 1 }
    case NGHTTP2_PING.rawValue where !isAcknowledgement: connection.mock.note { $0.pings += 1 }
    case NGHTTP2_GOAWAY.rawValue: connection.mock.note { $0.clientGoAways += 1 }
    default: break
    }
    return 0
}

private func mockClose(
    _ session: OpaquePointer?,
    _ stream: Int32,
    _ code: UInt32,
    _ context: UnsafeMutableRawPointer?
) -> Int32 {
    let connection = connection(context)
    connection.open.remove(stream)
    connection.building[stream] = nil
    connection.bodies[stream] = nil
    if connection.held.remove(stream) != nil { connection.mock.note { $0.held -= 1 } }
    return 0
}

/// The `nghttp2_data_source_read_callback` of every answer.
func mockReadBody(
    _ session: OpaquePointer?,
    _ stream: Int32,
    _ buffer: UnsafeMutablePointer<UInt8>?,
    _ length: Int,
    _ flags: UnsafeMutablePointer<UInt32>?,
    _ source: UnsafeMutablePointer<nghttp2_data_source>?,
    _ context: UnsafeMutableRawPointer?
) -> Int {
    let connection = connection(context)
    guard var body = connection.bodies[stream] else { return Int(NGHTTP2_ERR_CALLBACK_FAILURE.rawValue) }
    if body.bytes.isEmpty, !body.ends { return Int(NGHTTP2_ERR_DEFERRED.rawValue) }
    let part = body.bytes.prefix(min(length, body.chunk))
    _ = UnsafeMutableBufferPointer(start: buffer, count: length).update(fromContentsOf: part)
    body.bytes = body.bytes.dropFirst(part.count)
    connection.bodies[stream] = body
    if body.bytes.isEmpty, body.ends { flags?.pointee |= NGHTTP2_DATA_FLAG_EOF.rawValue }
    return part.count
}

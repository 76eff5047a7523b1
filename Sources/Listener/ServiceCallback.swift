internal import CLibwebsockets

/// What libwebsockets tells the loop. Bytes are borrowed for the call.
@unsafe enum ServiceEvent {
    case wake
    case listenerReadable
    case request(HeaderReader)
    case upgrade(HeaderReader)
    case body(UnsafeRawBufferPointer)
    case bodyEnd
    case httpWriteable
    case addHeaders(UnsafeMutablePointer<lws_process_html_args>)
    case opened
    case message(UnsafeRawBufferPointer)
    case pong
    case socketWriteable
    case destroyed
    /// A connection that is no HTTP: CONNECT, or bytes of another protocol.
    case raw
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
    nonisolated(unsafe) let delivery = unsafe (event: event, wire: Wire(wsi))
    return loop.assumeIsolated { unsafe $0.serve(delivery.event, from: id, delivery.wire) }
}

private func serviceEvent(
    _ wsi: OpaquePointer,
    _ reason: lws_callback_reasons,
    _ input: UnsafeMutableRawPointer?,
    _ length: Int
) -> ServiceEvent? {
    switch reason {
    case LWS_CALLBACK_EVENT_WAIT_CANCELLED: return unsafe .wake
    case LWS_CALLBACK_RAW_RX_FILE: return unsafe .listenerReadable
    case LWS_CALLBACK_HTTP: return unsafe .request(HeaderReader(wsi))
    case LWS_CALLBACK_HTTP_CONFIRM_UPGRADE: return unsafe .upgrade(HeaderReader(wsi))
    case LWS_CALLBACK_HTTP_BODY: return unsafe .body(UnsafeRawBufferPointer(start: input, count: length))
    case LWS_CALLBACK_HTTP_BODY_COMPLETION: return unsafe .bodyEnd
    case LWS_CALLBACK_HTTP_WRITEABLE: return unsafe .httpWriteable
    case LWS_CALLBACK_ADD_HEADERS:
        return unsafe input.map { unsafe .addHeaders($0.assumingMemoryBound(to: lws_process_html_args.self)) }
    case LWS_CALLBACK_ESTABLISHED: return unsafe .opened
    case LWS_CALLBACK_RECEIVE: return unsafe .message(UnsafeRawBufferPointer(start: input, count: length))
    case LWS_CALLBACK_RECEIVE_PONG: return unsafe .pong
    case LWS_CALLBACK_SERVER_WRITEABLE: return unsafe .socketWriteable
    case LWS_CALLBACK_WSI_DESTROY: return unsafe .destroyed
    case LWS_CALLBACK_RAW_ADOPT, LWS_CALLBACK_RAW_CONNECTED, LWS_CALLBACK_RAW_RX: return unsafe .raw
    default: return nil
    }
}

/// Called by libwebsockets on the serving thread when the context's timer is due. `timer` is the first member of the
/// `listener_timer` that `ServiceContext` owns.
func loopTimerFired(_ timer: UnsafeMutablePointer<lws_sorted_usec_list_t>?) {
    guard let timer = unsafe timer else { return }
    let whole = unsafe UnsafeMutableRawPointer(timer).assumingMemoryBound(to: listener_timer.self)
    guard let owner = unsafe whole.pointee.owner else { return }
    let loop = unsafe Unmanaged<NetworkLoop>.fromOpaque(owner).takeUnretainedValue()
    loop.assumeIsolated { $0.timerFired() }
}

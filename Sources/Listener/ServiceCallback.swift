internal import CLibwebsockets

/// An event of libwebsockets. Bytes are borrowed for the call.
enum ServiceEvent {
    case wake
    case listenerReadable
    case received(BorrowedBytes)
    case writeable
    case destroyed
}

/// Bytes of libwebsockets, lent for one callback.
///
/// Safe because the memory is private: callers get copies.
@safe struct BorrowedBytes {
    private let bytes: UnsafeRawBufferPointer

    fileprivate init(_ start: UnsafeMutableRawPointer?, _ count: Int) {
        unsafe bytes = UnsafeRawBufferPointer(start: start, count: start == nil ? 0 : count)
    }

    var count: Int { unsafe bytes.count }

    var copy: ArraySlice<UInt8> { unsafe Array(bytes)[...] }

    /// Appends at most `count` bytes, from `start` on.
    func append(to array: inout [UInt8], from start: Int = 0, count: Int = .max) {
        unsafe array.append(contentsOf: bytes.dropFirst(start).prefix(count))
    }
}

/// Called by libwebsockets on the thread that serves the context, for every connection and for the context itself. The
/// context's user pointer is the `NetworkLoop`, which outlives it. A negative result closes the connection.
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
    return unsafe loop.serveHere(event, from: id, LWSConnection(wsi))
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
    case LWS_CALLBACK_RAW_RX: return unsafe .received(BorrowedBytes(input, length))
    case LWS_CALLBACK_RAW_WRITEABLE: return .writeable
    case LWS_CALLBACK_WSI_DESTROY: return .destroyed
    default: return nil
    }
}

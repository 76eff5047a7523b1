internal import CLibwebsockets
internal import Glibc

/// Wakes the thread of a context. The only call of libwebsockets that is allowed from other threads. `SendQueue` drops
/// it before the context is destroyed.
struct Waker: Sendable {
    fileprivate let address: UInt

    func wake() { unsafe lws_cancel_service(OpaquePointer(bitPattern: address)) }
}

/// A context of libwebsockets with its own poll loop, for one connection. One thread only.
///
/// Safe because the pointers are private, and `isAlive` keeps `destroy` from running twice.
@safe final class ClientContext {
    private let context: OpaquePointer
    private let protocols: UnsafeMutablePointer<lws_protocols>
    private let owner: ClientLoop
    private let strings: [UnsafeMutablePointer<CChar>]
    private var isAlive = true
    private static let protocolName = "monitor-agent"

    /// Monotonic microseconds.
    static var now: Int64 { lws_now_usecs() }

    /// - Parameter certificates: `nil` for a connection without TLS.
    init?(_ owner: ClientLoop, certificates: String?) {
        lws_set_log_level(0, nil)
        var strings: [UnsafeMutablePointer<CChar>] = unsafe []
        func lasting(_ text: String) -> UnsafePointer<CChar>? {
            guard let copy = unsafe strdup(text) else { return nil }
            unsafe strings.append(copy)
            return unsafe UnsafePointer(copy)
        }
        let protocols = UnsafeMutablePointer<lws_protocols>.allocate(capacity: 2)
        unsafe protocols.initialize(repeating: lws_protocols(), count: 2)
        unsafe protocols[0].name = lasting(ClientContext.protocolName)
        unsafe protocols[0].callback = clientServiceCallback
        unsafe protocols[0].rx_buffer_size = 16 << 10
        unsafe protocols[0].tx_packet_size = 64 << 10

        var info = unsafe lws_context_creation_info()
        unsafe info.port = CONTEXT_PORT_NO_LISTEN
        unsafe info.protocols = UnsafePointer(protocols)
        unsafe info.user = Unmanaged.passUnretained(owner).toOpaque()
        unsafe info.gid = -1
        unsafe info.uid = -1
        // The library sizes its tables by the limit of open files.
        unsafe info.fd_limit_per_thread = 64
        unsafe info.pt_serv_buf_size = 16 << 10
        if let certificates {
            unsafe info.options = listener_tls_options
            unsafe info.client_ssl_ca_filepath = lasting(certificates)
            unsafe info.alpn = lasting("http/1.1")
            unsafe info.ssl_client_options_set = listener_tls_refused
        }
        if let proxy = owner.endpoint.proxy { unsafe info.http_proxy_address = lasting(proxy) }
        guard let context = unsafe lws_create_context(&info) else {
            unsafe strings.forEach { unsafe free($0) }
            unsafe protocols.deallocate()
            return nil
        }
        unsafe (self.context, self.protocols, self.owner, self.strings) = (context, protocols, owner, strings)
    }

    deinit {
        destroy()
        unsafe strings.forEach { unsafe free($0) }
        unsafe protocols.deallocate()
    }

    var waker: Waker { unsafe Waker(address: UInt(bitPattern: context)) }

    /// False if the connection failed at once. The library has reported why.
    func connect(_ endpoint: WebSocketEndpoint) -> Bool {
        var flags: UInt32 = 0
        if endpoint.isSecure { flags = LCCSCF_USE_SSL.rawValue }
        return unsafe endpoint.host.withCString { host in
            unsafe endpoint.path.withCString { path in
                unsafe endpoint.authority.withCString { authority in
                    unsafe ClientContext.protocolName.withCString { name in
                        var info = unsafe lws_client_connect_info()
                        unsafe info.context = context
                        unsafe info.address = host
                        unsafe info.port = Int32(endpoint.port)
                        unsafe info.ssl_connection = Int32(flags)
                        unsafe info.path = path
                        unsafe info.host = authority
                        unsafe info.ietf_version_or_minus_one = -1
                        unsafe info.local_protocol_name = name
                        return unsafe lws_client_connect_via_info(&info) != nil
                    }
                }
            }
        }
    }

    /// One turn of the loop. False if the context failed.
    func serve() -> Bool {
        let code = unsafe lws_service(context, 0)
        owner.checkPatience()
        return code >= 0
    }

    func destroy() {
        guard isAlive else { return }
        isAlive = false
        unsafe lws_context_destroy(context)
    }
}

/// The connection inside a callback.
///
/// Safe because callbacks make one and drop it before they return.
@safe struct ClientWire {
    private let raw: OpaquePointer

    init(_ raw: OpaquePointer) { unsafe self.raw = raw }

    func askWriteable() { unsafe lws_callback_on_writable(raw) }

    /// Once, replaces an earlier one.
    func setTimer(microseconds: Int64) { unsafe lws_set_timer_usecs(raw, microseconds) }

    func ping() -> Bool { write([], LWS_WRITE_PING) }

    /// The library copies what the kernel does not take now.
    func send(_ text: [UInt8]) -> Bool { write(text, LWS_WRITE_TEXT) }

    func setCloseCode(_ code: Int) {
        unsafe lws_close_reason(raw, lws_close_status(rawValue: UInt32(code)), nil, 0)
    }

    /// libwebsockets writes the frame's head into the room before the text.
    private func write(_ text: [UInt8], _ kind: lws_write_protocol) -> Bool {
        let room = 16
        var buffer = [UInt8](repeating: 0, count: room)
        buffer.reserveCapacity(room + text.count)
        buffer += text
        let count = text.count
        return unsafe buffer.withUnsafeMutableBufferPointer { bytes in
            guard let base = bytes.baseAddress else { return false }
            return unsafe lws_write(raw, base + room, count, kind) >= 0
        }
    }
}

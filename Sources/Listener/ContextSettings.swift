internal import CLibwebsockets
internal import Glibc

/// What libwebsockets reads when a context is created. Protocols and strings must outlive the context; its owner frees
/// them.
@unsafe struct ContextSettings {
    let protocols: UnsafeMutablePointer<lws_protocols>
    private(set) var strings: [UnsafeMutablePointer<CChar>] = unsafe []
    private(set) var contextInfo = unsafe lws_context_creation_info()

    /// recv() size.
    private static let serviceBytes: UInt32 = 64 * 1024

    init(_ configuration: ListenerConfiguration) {
        // All connections use one protocol. The list ends with an empty entry.
        unsafe protocols = .allocate(capacity: 2)
        unsafe protocols.initialize(repeating: lws_protocols(), count: 2)
        let name = unsafe keep("http")
        unsafe protocols[0].name = UnsafePointer(name)
        unsafe protocols[0].callback = loopServiceCallback
        unsafe protocols[0].tx_packet_size = NetworkLoop.transmitBytes
        unsafe contextInfo.port = -2  // CONTEXT_PORT_NO_LISTEN_SERVER
        unsafe contextInfo.protocols = UnsafePointer(protocols)
        unsafe contextInfo.options = listener_context_options
        unsafe contextInfo.pt_serv_buf_size = Self.serviceBytes
        // The time limit of a TLS handshake.
        unsafe contextInfo.timeout_secs = UInt32(configuration.headerSeconds)
        // All zero: see `Quirk.validityTimer`.
        unsafe contextInfo.retry_and_idle_policy = UnsafePointer(noValidityPolicy)
        unsafe contextInfo.vhost_name = UnsafePointer(keep("monitor"))
        if let tls = configuration.tls {
            unsafe contextInfo.options |= listener_tls_options
            unsafe contextInfo.ssl_cert_filepath = UnsafePointer(keep(tls.certificatePath))
            unsafe contextInfo.ssl_private_key_filepath = UnsafePointer(keep(tls.keyPath))
            unsafe contextInfo.ssl_options_set = listener_tls_refused
            // Restricts TLS 1.2 to forward secrecy and authenticated encryption. TLS 1.3 has nothing else.
            unsafe contextInfo.ssl_cipher_list = UnsafePointer(keep("ECDHE+AESGCM:ECDHE+CHACHA20"))
            unsafe contextInfo.alpn = UnsafePointer(keep("http/1.1"))
        }
    }

    private mutating func keep(_ text: String) -> UnsafeMutablePointer<CChar>? {
        guard let copy = unsafe strdup(text) else { return nil }
        unsafe strings.append(copy)
        return unsafe copy
    }

    func free() {
        unsafe Self.free(protocols, strings)
    }

    static func free(_ protocols: UnsafeMutablePointer<lws_protocols>, _ strings: [UnsafeMutablePointer<CChar>]) {
        unsafe protocols.deallocate()
        unsafe strings.forEach { unsafe Glibc.free($0) }
    }
}

/// Read by libwebsockets for the life of the process; never written.
nonisolated(unsafe) private let noValidityPolicy: UnsafeMutablePointer<lws_retry_bo_t> = {
    let policy = UnsafeMutablePointer<lws_retry_bo_t>.allocate(capacity: 1)
    unsafe policy.initialize(to: lws_retry_bo_t())
    return unsafe policy
}()

internal import COpenSSL

/// One `SSL` between two memory BIOs. It converts between encrypted and plain bytes and does no I/O. Used by one
/// thread at a time.
///
/// Safe because the handles are private, valid from `init` to `deinit`, and freed only there.
@safe final class TLSConnection {
    private let ssl: OpaquePointer
    /// Owned by `ssl`.
    private let incoming: OpaquePointer
    private let outgoing: OpaquePointer

    init(takingOwnershipOf ssl: OpaquePointer, incoming: OpaquePointer, outgoing: OpaquePointer) {
        unsafe self.ssl = ssl
        unsafe self.incoming = incoming
        unsafe self.outgoing = outgoing
        unsafe SSL_set_bio(ssl, incoming, outgoing)
    }

    deinit {
        unsafe SSL_free(ssl)
    }

    /// Takes bytes received from the network.
    func receive(_ bytes: ArraySlice<UInt8>) throws(ConnectionError) {
        var rest = bytes
        while !rest.isEmpty {
            let count = unsafe rest.withUnsafeBytes { raw in
                unsafe BIO_write(incoming, raw.baseAddress, Int32(clamping: raw.count))
            }
            guard count > 0 else { throw ConnectionError(.outOfMemory, "no memory for received bytes") }
            rest = rest.dropFirst(Int(count))
        }
    }

    /// Returns the bytes to send to the network.
    func takeOutput() -> [UInt8] {
        let pending = unsafe BIO_ctrl_pending(outgoing)
        guard pending > 0 else { return [] }
        return unsafe [UInt8](unsafeUninitializedCapacity: pending) { space, used in
            used = unsafe max(0, Int(BIO_read(outgoing, space.baseAddress, Int32(clamping: space.count))))
        }
    }

    /// Performs one step of the handshake. Returns true when it is complete.
    func handshakeStep() throws(ConnectionError) -> Bool {
        ERR_clear_error()
        let result = unsafe SSL_do_handshake(ssl)
        if result != 1 { try failUnlessWaiting(result, during: "handshake") }
        return result == 1
    }

    /// Performs one step of the handshake. Returns true when it is complete and HTTP/2 was negotiated.
    func handshake() throws(ConnectionError) -> Bool {
        guard try handshakeStep() else { return false }
        var name: UnsafePointer<UInt8>?
        var length: UInt32 = 0
        unsafe SSL_get0_alpn_selected(ssl, &name, &length)
        guard length == 2, let name = unsafe name, unsafe name[0] == UInt8(ascii: "h"),
            unsafe name[1] == UInt8(ascii: "2")
        else { throw ConnectionError(.noHTTP2, "the server does not agree to HTTP/2 (ALPN)") }
        return true
    }

    /// Returns all available plain bytes.
    /// - Returns: `isEnd`: the peer will send no more.
    func read() throws(ConnectionError) -> (bytes: [UInt8], isEnd: Bool) {
        // There are fewer plain bytes than encrypted ones, but OpenSSL may hold the beginning of a record.
        let kept = unsafe SSL_has_pending(ssl) == 1 ? TLSConnection.recordLimit : 0
        let limit = unsafe BIO_ctrl_pending(incoming) + kept
        guard limit > 0 else { return ([], false) }
        var result: Int32 = 1
        let bytes = unsafe [UInt8](unsafeUninitializedCapacity: limit) { space, used in
            while result == 1, used < limit {
                ERR_clear_error()
                var count = 0
                result = unsafe SSL_read_ex(ssl, space.baseAddress.map { unsafe $0 + used }, limit - used, &count)
                if result == 1 { used += count }
            }
        }
        if unsafe SSL_get_error(ssl, result) == SSL_ERROR_ZERO_RETURN { return (bytes, true) }
        // Bytes before a failure are authentic and may contain its reason.
        do throws(ConnectionError) {
            try failUnlessWaiting(result, during: "reading")
        } catch {
            if bytes.isEmpty { throw error }
        }
        return (bytes, false)
    }

    /// The memory BIO accepts everything at once, so the caller must limit what it passes.
    func write(_ bytes: [UInt8]) throws(ConnectionError) {
        var rest = bytes[...]
        while !rest.isEmpty {
            ERR_clear_error()
            var written = 0
            let result = unsafe rest.withUnsafeBytes { raw in
                unsafe SSL_write_ex(ssl, raw.baseAddress, raw.count, &written)
            }
            guard result == 1, written > 0 else {
                try failUnlessWaiting(result, during: "writing")
                throw ConnectionError(.protocolViolation, "TLS wants to read before it writes")
            }
            rest = rest.dropFirst(written)
        }
    }

    /// Queues the close notification.
    func close() {
        ERR_clear_error()
        _ = unsafe SSL_shutdown(ssl)
        ERR_clear_error()
    }

    /// Maximum plain bytes of one record (RFC 8446 section 5.1).
    private static let recordLimit = 16 * 1024

    private func failUnlessWaiting(_ result: Int32, during operation: String) throws(ConnectionError) {
        switch unsafe SSL_get_error(ssl, result) {
        case SSL_ERROR_NONE, SSL_ERROR_WANT_READ, SSL_ERROR_WANT_WRITE: return
        default: break
        }
        let reason = monitor_error_reason(ERR_peek_last_error())
        ERR_clear_error()
        let verdict = unsafe SSL_get_verify_result(ssl)
        if verdict != Int(X509_V_OK) {
            let text = unsafe String(cString: X509_verify_cert_error_string(verdict))
            throw ConnectionError(.untrusted, "the server's certificate is refused: \(text)")
        }
        throw ConnectionError(.handshakeFailed, "TLS failed during \(operation) (OpenSSL reason \(reason))")
    }
}

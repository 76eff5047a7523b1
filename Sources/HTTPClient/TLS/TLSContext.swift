internal import COpenSSL

/// One `SSL_CTX` for client connections: TLS 1.2 or later, ALPN with HTTP/2 or without ALPN, and verification of the
/// peer. https://docs.openssl.org/3.0/man7/ssl/
///
/// Safe because the handle is private, valid from `init` to `deinit`, and freed only there.
/// `@unchecked Sendable` because the context is not changed after `init`, and OpenSSL lets any thread create
/// connections from an unchanging context.
@safe package final class TLSContext: @unchecked Sendable {
    private let handle: OpaquePointer

    /// - Parameter caFile: PEM certificates to trust instead of the system's.
    package init(caFile: String?, offersHTTP2: Bool = true) throws(ConnectionError) {
        ERR_clear_error()
        guard let handle = unsafe SSL_CTX_new(TLS_client_method()) else {
            throw ConnectionError(.outOfMemory, "no TLS context")
        }
        unsafe self.handle = handle
        unsafe SSL_CTX_set_verify(handle, SSL_VERIFY_PEER, nil)
        let protocols: [UInt8] = [2, UInt8(ascii: "h"), UInt8(ascii: "2")]
        // Unlike the other functions, SSL_CTX_set_alpn_protos returns 0 for success.
        guard unsafe monitor_ctx_set_min_tls_1_2(handle) == 1,
            unsafe !offersHTTP2 || SSL_CTX_set_alpn_protos(handle, protocols, UInt32(protocols.count)) == 0
        else { throw ConnectionError(.outOfMemory, "no TLS context") }
        if let caFile {
            guard unsafe SSL_CTX_load_verify_locations(handle, caFile, nil) == 1 else {
                ERR_clear_error()
                throw ConnectionError(.untrusted, "no certificates can be read from \(caFile)")
            }
        } else {
            guard unsafe SSL_CTX_set_default_verify_paths(handle) == 1 else {
                throw ConnectionError(.untrusted, "the system's certificates cannot be read")
            }
        }
    }

    deinit {
        unsafe SSL_CTX_free(handle)
    }

    /// - Parameter host: a name, which is sent as SNI and checked against the certificate, or a numeric address,
    ///   which is only checked.
    func connection(to host: String) throws(ConnectionError) -> TLSConnection {
        let failure = ConnectionError(.outOfMemory, "no TLS connection")
        guard let ssl = unsafe SSL_new(handle) else { throw failure }
        guard let incoming = unsafe monitor_memory_bio() else {
            unsafe SSL_free(ssl)
            throw failure
        }
        guard let outgoing = unsafe monitor_memory_bio() else {
            unsafe BIO_free(incoming)
            unsafe SSL_free(ssl)
            throw failure
        }
        let connection = unsafe TLSConnection(takingOwnershipOf: ssl, incoming: incoming, outgoing: outgoing)
        unsafe monitor_set_write_modes(ssl)
        let isAddress = unsafe X509_VERIFY_PARAM_set1_ip_asc(SSL_get0_param(ssl), host) == 1
        ERR_clear_error()
        if !isAddress {
            guard unsafe SSL_set1_host(ssl, host) == 1, unsafe monitor_set_server_name(ssl, host) == 1 else {
                throw failure
            }
        }
        unsafe SSL_set_connect_state(ssl)
        return connection
    }
}

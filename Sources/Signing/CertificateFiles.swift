internal import COpenSSL

/// The PEM files with which a TLS server identifies itself.
public enum CertificateFiles {
    public enum Fault: Error {
        case noCertificate
        /// The file contains no key, or the key needs a passphrase.
        case noKey
        /// The key belongs to another certificate.
        case mismatch
    }

    /// Throws if a server cannot use the files. Blocks while it reads them.
    public static func check(certificate: String, key: String) throws(Fault) {
        defer { ERR_clear_error() }
        guard let context = unsafe SSL_CTX_new(TLS_server_method()) else { return }
        defer { unsafe SSL_CTX_free(context) }
        unsafe SSL_CTX_set_default_passwd_cb(context, refusePassphrase)
        guard unsafe SSL_CTX_use_certificate_chain_file(context, certificate) == 1 else { throw .noCertificate }
        guard unsafe SSL_CTX_use_PrivateKey_file(context, key, SSL_FILETYPE_PEM) == 1 else {
            throw monitor_error_reason(ERR_peek_last_error()) == X509_R_KEY_VALUES_MISMATCH ? .mismatch : .noKey
        }
        guard unsafe SSL_CTX_check_private_key(context) == 1 else { throw .mismatch }
    }
}

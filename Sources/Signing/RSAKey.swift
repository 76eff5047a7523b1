internal import COpenSSL

/// One `EVP_PKEY`: a public RSA key. https://docs.openssl.org/3.0/man7/EVP_PKEY-RSA/
///
/// Safe because the handle is private, valid from `init` to `deinit`, and freed only there.
/// Each operation creates its own context.
/// `@unchecked Sendable` because the key never changes after `init`, and libcrypto lets threads share such a key.
@safe final class RSAKey: @unchecked Sendable {
    private let handle: OpaquePointer

    /// - Parameter der: a SubjectPublicKeyInfo.
    init(der: [UInt8]) throws(SigningError) {
        let handle = unsafe der.withUnsafeBufferPointer { bytes in
            var start = bytes.baseAddress
            return unsafe d2i_PUBKEY(nil, &start, bytes.count)
        }
        ERR_clear_error()
        guard let handle = unsafe handle else { throw SigningError(.malformedPublicKey, "read an RSA key") }
        unsafe self.handle = handle
        guard unsafe EVP_PKEY_is_a(handle, "RSA") == 1 else { throw SigningError(.wrongKeyType, "read an RSA key") }
    }

    deinit {
        unsafe EVP_PKEY_free(handle)
    }

    /// Uses PKCS #1 v1.5 padding, which is the default for RSA keys.
    func verify(_ signature: [UInt8], of message: [UInt8]) throws(SigningError) -> Bool {
        guard let context = unsafe EVP_MD_CTX_new() else { throw SigningError(.libraryFailure, "verify") }
        defer {
            unsafe EVP_MD_CTX_free(context)
            ERR_clear_error()
        }
        guard unsafe EVP_DigestVerifyInit(context, nil, EVP_sha256(), nil, handle) == 1 else {
            throw SigningError(.libraryFailure, "verify")
        }
        return unsafe EVP_DigestVerify(context, signature, signature.count, message, message.count) == 1
    }
}

internal import COpenSSL

/// One `EVP_PKEY`: an EC key on P-256, public or private (https://docs.openssl.org/3.0/man7/EVP_PKEY-EC/), a public RSA
/// key (https://docs.openssl.org/3.0/man7/EVP_PKEY-RSA/), or a public Ed25519 key
/// (https://docs.openssl.org/3.0/man7/EVP_PKEY-X25519/).
///
/// Safe because the handle is private, valid from `init` to `deinit`, and freed only there.
/// Each operation creates its own context.
/// `@unchecked Sendable` because the key never changes after `init`, and libcrypto lets threads share such a key.
@safe final class EVPKey: @unchecked Sendable {
    private let handle: OpaquePointer

    private init(takingOwnershipOf handle: OpaquePointer) {
        unsafe self.handle = handle
    }

    deinit {
        unsafe EVP_PKEY_free(handle)
    }

    static func privateKey(pem: [UInt8]) throws(SigningError) -> EVPKey {
        let operation = "read the private key"
        let text = String(decoding: pem, as: UTF8.self)
        guard !text.contains("ENCRYPTED") else { throw SigningError(.encryptedKey, operation) }
        ERR_clear_error()
        guard let bio = unsafe BIO_new_mem_buf(pem, Int32(clamping: pem.count)) else {
            throw SigningError(.libraryFailure, operation)
        }
        defer { unsafe BIO_free(bio) }
        guard let handle = unsafe PEM_read_bio_PrivateKey(bio, nil, refusePassphrase, nil) else {
            ERR_clear_error()
            throw SigningError(.notAPrivateKey, operation)
        }
        return try unsafe EVPKey(takingOwnershipOf: handle).onP256(operation)
    }

    static func generate() throws(SigningError) -> EVPKey {
        let failure = SigningError(.libraryFailure, "generate a key")
        guard let context = unsafe EVP_PKEY_CTX_new_from_name(nil, "EC", nil) else { throw failure }
        defer { unsafe EVP_PKEY_CTX_free(context) }
        var handle: OpaquePointer?
        guard unsafe EVP_PKEY_keygen_init(context) == 1, unsafe EVP_PKEY_CTX_set_group_name(context, "P-256") == 1,
            unsafe EVP_PKEY_generate(context, &handle) == 1, let handle = unsafe handle
        else { throw failure }
        return unsafe EVPKey(takingOwnershipOf: handle)
    }

    /// - Parameter point: uncompressed (SEC 1 section 2.3.3): `04`, x, y.
    static func publicKey(point: [UInt8]) throws(SigningError) -> EVPKey {
        let failure = SigningError(.malformedPublicKey, "read the public key")
        guard point.count == 65, point[0] == 4 else { throw failure }
        return try EVPKey(der: subjectPublicKeyPrefix + point, failure).onP256("read the public key")
    }

    /// - Parameter der: a SubjectPublicKeyInfo.
    static func publicRSAKey(der: [UInt8]) throws(SigningError) -> EVPKey {
        let key = try EVPKey(der: der, SigningError(.malformedPublicKey, "read an RSA key"))
        guard unsafe EVP_PKEY_is_a(key.handle, "RSA") == 1 else { throw SigningError(.wrongKeyType, "read an RSA key") }
        return key
    }

    static func publicEd25519Key(raw: [UInt8]) throws(SigningError) -> EVPKey {
        guard let handle = unsafe EVP_PKEY_new_raw_public_key_ex(nil, "ED25519", nil, raw, raw.count) else {
            ERR_clear_error()
            throw SigningError(.malformedPublicKey, "read an Ed25519 key")
        }
        return unsafe EVPKey(takingOwnershipOf: handle)
    }

    private convenience init(der: [UInt8], _ failure: SigningError) throws(SigningError) {
        let handle = unsafe der.withUnsafeBufferPointer { bytes in
            var start = bytes.baseAddress
            return unsafe d2i_PUBKEY(nil, &start, bytes.count)
        }
        ERR_clear_error()
        guard let handle = unsafe handle else { throw failure }
        unsafe self.init(takingOwnershipOf: handle)
    }

    func signature(of message: [UInt8]) throws(SigningError) -> [UInt8] {
        let failure = SigningError(.libraryFailure, "sign")
        guard let context = unsafe EVP_MD_CTX_new() else { throw failure }
        defer { unsafe EVP_MD_CTX_free(context) }
        var signature = [UInt8](repeating: 0, count: 80)
        var length = signature.count
        guard unsafe EVP_DigestSignInit(context, nil, EVP_sha256(), nil, handle) == 1,
            unsafe EVP_DigestSign(context, &signature, &length, message, message.count) == 1
        else { throw failure }
        return Array(signature.prefix(length))
    }

    /// For RSA keys, uses PKCS #1 v1.5 padding. Ed25519 has a digest of its own.
    func verify(_ signature: [UInt8], of message: [UInt8]) throws(SigningError) -> Bool {
        guard let context = unsafe EVP_MD_CTX_new() else { throw SigningError(.libraryFailure, "verify") }
        defer {
            unsafe EVP_MD_CTX_free(context)
            ERR_clear_error()
        }
        let digest = unsafe EVP_PKEY_is_a(handle, "ED25519") == 1 ? nil : EVP_sha256()
        guard unsafe EVP_DigestVerifyInit(context, nil, digest, nil, handle) == 1 else {
            throw SigningError(.libraryFailure, "verify")
        }
        return unsafe EVP_DigestVerify(context, signature, signature.count, message, message.count) == 1
    }

    /// The x coordinate of the shared point (ECDH), 32 bytes.
    func sharedSecret(with peer: EVPKey) throws(SigningError) -> [UInt8] {
        let failure = SigningError(.libraryFailure, "agree on a secret")
        guard let context = unsafe EVP_PKEY_CTX_new(handle, nil) else { throw failure }
        defer { unsafe EVP_PKEY_CTX_free(context) }
        var secret = [UInt8](repeating: 0, count: 32)
        var length = secret.count
        guard unsafe EVP_PKEY_derive_init(context) == 1, unsafe EVP_PKEY_derive_set_peer(context, peer.handle) == 1,
            unsafe EVP_PKEY_derive(context, &secret, &length) == 1, length == 32
        else { throw failure }
        return secret
    }

    func publicPoint() throws(SigningError) -> [UInt8] {
        var bytes: UnsafeMutablePointer<UInt8>?
        let length = unsafe EVP_PKEY_get1_encoded_public_key(handle, &bytes)
        defer { unsafe CRYPTO_free(bytes, "", 0) }
        guard length == 65, let bytes = unsafe bytes else { throw SigningError(.wrongKeyType, "read the public key") }
        return unsafe Array(UnsafeBufferPointer(start: bytes, count: length))
    }

    /// The private key as PKCS#8 in PEM, not encrypted.
    func privatePEM() throws(SigningError) -> [UInt8] {
        let failure = SigningError(.libraryFailure, "write the private key")
        guard let bio = unsafe monitor_memory_bio() else { throw failure }
        defer { unsafe BIO_free(bio) }
        guard unsafe PEM_write_bio_PKCS8PrivateKey(bio, handle, nil, nil, 0, nil, nil) == 1 else { throw failure }
        var text = [UInt8](repeating: 0, count: 1024)
        let length = unsafe BIO_read(bio, &text, 1024)
        guard length > 0, length < 1024 else { throw failure }
        return Array(text.prefix(Int(length)))
    }

    private func onP256(_ operation: String) throws(SigningError) -> EVPKey {
        var name = [CChar](repeating: 0, count: 32)
        var length = 0
        guard unsafe EVP_PKEY_is_a(handle, "EC") == 1,
            unsafe EVP_PKEY_get_group_name(handle, &name, name.count, &length) == 1,
            name.prefix(length).map(UInt8.init(bitPattern:)) == Array("prime256v1".utf8)
        else {
            ERR_clear_error()
            throw SigningError(.wrongKeyType, operation)
        }
        return self
    }

    /// The part of a SubjectPublicKeyInfo (RFC 5480) for P-256 before the point.
    private static let subjectPublicKeyPrefix: [UInt8] = [
        0x30, 0x59, 0x30, 0x13, 0x06, 0x07, 0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x02, 0x01,
        0x06, 0x08, 0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x03, 0x01, 0x07, 0x03, 0x42, 0x00,
    ]
}

/// `PEM_read_bio_PrivateKey` calls this on its own thread for an encrypted key. Without it libcrypto would prompt on
/// the terminal. Returns -1, which means that there is no passphrase.
func refusePassphrase(
    _ buffer: UnsafeMutablePointer<CChar>?,
    _ size: Int32,
    _ isWriting: Int32,
    _ context: UnsafeMutableRawPointer?
) -> Int32 {
    -1
}

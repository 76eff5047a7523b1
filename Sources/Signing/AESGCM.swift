internal import COpenSSL

/// AES in Galois/Counter Mode (NIST SP 800-38D). Sealed bytes are the ciphertext followed by the tag.
public struct AESGCM: Sendable {
    public enum KeySize: Int, Sendable {
        case bits128 = 128
        case bits256 = 256
    }

    public static let nonceLength = 12
    public static let tagLength = 16
    private let size: KeySize
    private let key: [UInt8]

    /// Throws if the key has another size, so that the cipher never depends on the key that was passed.
    public init(_ size: KeySize, key: [UInt8]) throws(SigningError) {
        guard key.count * 8 == size.rawValue else { throw SigningError(.wrongLength, "take a key") }
        (self.size, self.key) = (size, key)
    }

    /// - Parameter nonce: must not have been used before with this key.
    public func seal(
        _ plaintext: [UInt8],
        nonce: [UInt8],
        authenticating context: [UInt8]
    ) throws(SigningError) -> [UInt8] {
        let failure = SigningError(.libraryFailure, "seal")
        guard nonce.count == AESGCM.nonceLength else { throw SigningError(.wrongLength, "seal") }
        let cipher = try CipherContext()
        guard unsafe EVP_EncryptInit_ex(cipher.handle, algorithm, nil, key, nonce) == 1 else { throw failure }
        var length: Int32 = 0
        if !context.isEmpty {
            guard unsafe EVP_EncryptUpdate(cipher.handle, nil, &length, context, Int32(context.count)) == 1 else {
                throw failure
            }
        }
        var sealed = [UInt8](repeating: 0, count: plaintext.count + AESGCM.tagLength)
        var tag = [UInt8](repeating: 0, count: AESGCM.tagLength)
        guard unsafe EVP_EncryptUpdate(cipher.handle, &sealed, &length, plaintext, Int32(plaintext.count)) == 1,
            unsafe EVP_EncryptFinal_ex(cipher.handle, &tag, &length) == 1,
            unsafe EVP_CIPHER_CTX_ctrl(cipher.handle, EVP_CTRL_AEAD_GET_TAG, Int32(tag.count), &tag) == 1
        else { throw failure }
        sealed.replaceSubrange(plaintext.count..., with: tag)
        return sealed
    }

    public func open(
        _ sealed: [UInt8],
        nonce: [UInt8],
        authenticating context: [UInt8]
    ) throws(SigningError) -> [UInt8] {
        let failure = SigningError(.notAuthentic, "open sealed bytes")
        guard nonce.count == AESGCM.nonceLength else { throw SigningError(.wrongLength, "open sealed bytes") }
        guard sealed.count >= AESGCM.tagLength else { throw failure }
        let cipher = try CipherContext()
        let count = sealed.count - AESGCM.tagLength
        var tag = Array(sealed.suffix(AESGCM.tagLength))
        var length: Int32 = 0
        guard unsafe EVP_DecryptInit_ex(cipher.handle, algorithm, nil, key, nonce) == 1,
            unsafe context.isEmpty
                || EVP_DecryptUpdate(cipher.handle, nil, &length, context, Int32(context.count)) == 1
        else { throw SigningError(.libraryFailure, "open sealed bytes") }
        var plaintext = [UInt8](repeating: 0, count: count + AESGCM.tagLength)
        var rest = [UInt8](repeating: 0, count: AESGCM.tagLength)
        guard unsafe EVP_DecryptUpdate(cipher.handle, &plaintext, &length, sealed, Int32(count)) == 1,
            unsafe EVP_CIPHER_CTX_ctrl(cipher.handle, EVP_CTRL_AEAD_SET_TAG, Int32(tag.count), &tag) == 1,
            unsafe EVP_DecryptFinal_ex(cipher.handle, &rest, &length) == 1
        else { throw failure }
        return Array(plaintext.prefix(count))
    }

    /// Static, owned by libcrypto.
    private var algorithm: OpaquePointer? {
        switch size {
        case .bits128: unsafe EVP_aes_128_gcm()
        case .bits256: unsafe EVP_aes_256_gcm()
        }
    }
}

extension AESGCM: CustomStringConvertible, CustomReflectable {
    public var description: String { "AES-\(size.rawValue)-GCM key" }
    public var customMirror: Mirror { Mirror(self, children: []) }
}

/// One `EVP_CIPHER_CTX`.
///
/// Safe because the handle is private, valid from `init` to `deinit`, and freed only there.
@safe private struct CipherContext: ~Copyable {
    let handle: OpaquePointer

    init() throws(SigningError) {
        guard let handle = unsafe EVP_CIPHER_CTX_new() else { throw SigningError(.libraryFailure, "make a cipher") }
        unsafe self.handle = handle
    }

    deinit {
        unsafe EVP_CIPHER_CTX_free(handle)
    }
}

/// AES-256 in Galois/Counter Mode (NIST SP 800-38D): sealed bytes are the ciphertext, then the tag.
public struct AES256GCM: Sendable {
    public static let keyLength = 32
    public static let nonceLength = AESGCM.nonceLength
    public static let tagLength = AESGCM.tagLength
    private let cipher: AESGCM

    public init(key: [UInt8]) throws(SigningError) {
        cipher = try AESGCM(key: key, length: AES256GCM.keyLength)
    }

    /// - Parameter nonce: never used before with this key.
    public func seal(
        _ plaintext: [UInt8],
        nonce: [UInt8],
        authenticating context: [UInt8]
    ) throws(SigningError) -> [UInt8] {
        try cipher.seal(plaintext, nonce: nonce, authenticating: context)
    }

    public func open(
        _ sealed: [UInt8],
        nonce: [UInt8],
        authenticating context: [UInt8]
    ) throws(SigningError) -> [UInt8] {
        try cipher.open(sealed, nonce: nonce, authenticating: context)
    }
}

extension AES256GCM: CustomStringConvertible {
    public var description: String { "AES-256-GCM key" }
}

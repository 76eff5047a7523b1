/// A private key for ES256 (ECDSA on P-256 with SHA-256, RFC 7518 section 3.4) and for ECDH.
public struct ES256PrivateKey: Sendable {
    let key: EVPKey
    public let publicKey: ES256PublicKey

    /// - Parameter pem: PKCS#8, as in Apple's `.p8` files, or SEC 1. Signs and verifies once to detect a key that
    ///   cannot sign.
    public init(pem: [UInt8]) throws(SigningError) {
        try self.init(EVPKey.privateKey(pem: pem))
    }

    public static func generate() throws(SigningError) -> ES256PrivateKey {
        try ES256PrivateKey(EVPKey.generate())
    }

    private init(_ key: EVPKey) throws(SigningError) {
        self.key = key
        publicKey = try ES256PublicKey(point: key.publicPoint())
        let probe = Array("probe".utf8)
        guard try publicKey.isValid(sign(probe), of: probe) else {
            throw SigningError(.signatureMismatch, "try the private key")
        }
    }

    /// Returns r and s, 64 bytes. The result differs at each call, because the nonce is random.
    public func sign(_ message: [UInt8]) throws(SigningError) -> [UInt8] {
        guard let raw = try ECDSASignature.raw(fromDER: key.signature(of: message)) else {
            throw SigningError(.malformedSignature, "sign")
        }
        return raw
    }

    /// The secret shared with the owner of another key (ECDH), 32 bytes. Do not use it without a key derivation.
    public func sharedSecret(with peer: ES256PublicKey) throws(SigningError) -> [UInt8] {
        try key.sharedSecret(with: peer.key)
    }

    /// The private key as unencrypted PKCS#8, which must be kept secret.
    public func pem() throws(SigningError) -> [UInt8] { try key.privatePEM() }
}

public struct ES256PublicKey: Sendable {
    let key: EVPKey
    /// Uncompressed, 65 bytes.
    public let point: [UInt8]

    public init(point: [UInt8]) throws(SigningError) {
        key = try EVPKey.publicKey(point: point)
        self.point = point
    }

    /// - Parameter signature: r and s. A signature that does not have 64 bytes is invalid.
    public func isValid(_ signature: [UInt8], of message: [UInt8]) throws(SigningError) -> Bool {
        guard let der = ECDSASignature.der(fromRaw: signature) else { return false }
        return try key.verify(der, of: message)
    }
}

extension ES256PrivateKey: CustomStringConvertible {
    public var description: String { "ES256 private key" }
}

/// A public key for Ed25519 signatures (RFC 8032).
public struct Ed25519PublicKey: Sendable {
    private let key: EVPKey

    /// - Parameter raw: 32 bytes.
    public init(raw: [UInt8]) throws(SigningError) {
        guard raw.count == 32 else { throw SigningError(.malformedPublicKey, "read an Ed25519 key") }
        key = try EVPKey.publicEd25519Key(raw: raw)
    }

    public func isValid(_ signature: [UInt8], of message: [UInt8]) throws(SigningError) -> Bool {
        guard signature.count == 64 else { return false }
        return try key.verify(signature, of: message)
    }
}

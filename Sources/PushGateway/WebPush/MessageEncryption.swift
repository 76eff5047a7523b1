internal import Signing

/// Encrypts a push's payload for one browser (RFC 8291): key agreement with a key pair made for this message, then
/// one record of `aes128gcm` (RFC 8188).
enum MessageEncryption {
    private static let saltLength = 16
    private static let pointLength = 65
    /// 4096, big-endian: at least the size of the largest record.
    private static let recordSizeField: [UInt8] = [0, 0, 0x10, 0]
    /// Bytes that encryption adds: salt, record size, key length, key, delimiter and tag.
    static let overhead = saltLength + 4 + 1 + pointLength + 1 + AESGCM.tagLength

    /// - Parameters:
    ///   - peer: the browser's key, `p256dh`.
    ///   - secret: the browser's authentication secret, `auth`.
    static func encrypt(
        _ payload: [UInt8],
        to peer: ES256PublicKey,
        secret: [UInt8]
    ) throws(SigningError) -> [UInt8] {
        let (key, salt) = (try ES256PrivateKey.generate(), try SecureRandom.bytes(saltLength))
        return try encrypt(payload, to: peer, secret: secret, key: key, salt: salt)
    }

    /// The key and the salt must not have been used before.
    static func encrypt(
        _ payload: [UInt8],
        to peer: ES256PublicKey,
        secret: [UInt8],
        key: ES256PrivateKey,
        salt: [UInt8]
    ) throws(SigningError) -> [UInt8] {
        let point = key.publicKey.point
        let material = try Digest.hkdf(
            secret: key.sharedSecret(with: peer),
            salt: secret,
            info: label("WebPush: info") + peer.point + point,
            count: 32
        )
        let cipher = try AESGCM(
            .bits128,
            key: Digest.hkdf(secret: material, salt: salt, info: label("Content-Encoding: aes128gcm"), count: 16)
        )
        let nonce = try Digest.hkdf(secret: material, salt: salt, info: label("Content-Encoding: nonce"), count: 12)
        // The delimiter 2 ends the last record. There is no padding.
        let sealed = try cipher.seal(payload + [2], nonce: nonce, authenticating: [])
        return salt + recordSizeField + [UInt8(pointLength)] + point + sealed
    }

    private static func label(_ text: String) -> [UInt8] { Array(text.utf8) + [0] }
}

package import Signing

/// Seals what a program that waits for a person keeps for the server, so that any server with the device key can go on
/// with the wait, and nobody else can read or change it. The text is base64url of a nonce and the sealed bytes.
package struct WaitSeal: Sendable {
    /// Authenticated with the bytes, so that no other use of the key can be taken for this one.
    private static let context = Array("wait".utf8)

    private let cipher: AESGCM

    package init(key: ES256PrivateKey) throws(SigningError) {
        let derived = try Digest.hkdf(secret: key.pem(), salt: [], info: Array("sealed wait".utf8), count: 32)
        cipher = try AESGCM(.bits256, key: derived)
    }

    package func seal(_ bytes: [UInt8]) throws(SigningError) -> String {
        let nonce = try SecureRandom.bytes(AESGCM.nonceLength)
        return Base64URL.encode(nonce + (try cipher.seal(bytes, nonce: nonce, authenticating: WaitSeal.context)))
    }

    /// Returns `nil` if this was not sealed with the same key.
    package func open(_ text: String) -> [UInt8]? {
        guard let bytes = Base64URL.decode(text), bytes.count > AESGCM.nonceLength else { return nil }
        let (nonce, sealed) = (Array(bytes.prefix(AESGCM.nonceLength)), Array(bytes.dropFirst(AESGCM.nonceLength)))
        return try? cipher.open(sealed, nonce: nonce, authenticating: WaitSeal.context)
    }
}

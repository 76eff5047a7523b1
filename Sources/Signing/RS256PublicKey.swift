/// A public key for RS256 (RSASSA-PKCS1-v1_5 with SHA-256, RFC 7518 section 3.3). This server verifies with such keys
/// and never signs with one.
public struct RS256PublicKey: Sendable {
    /// RFC 7518 requires at least 2048 bits. More than 8192 bits would only cost time.
    private static let modulusBytes = 256...1024
    private let key: EVPKey

    /// - Parameters:
    ///   - modulus: big-endian. Leading zeros are ignored.
    ///   - exponent: big-endian, odd, from 3 to 2^32.
    public init(modulus: [UInt8], exponent: [UInt8]) throws(SigningError) {
        let failure = SigningError(.malformedPublicKey, "read an RSA key")
        let modulus = Array(modulus.drop { $0 == 0 })
        let exponent = Array(exponent.drop { $0 == 0 })
        guard RS256PublicKey.modulusBytes.contains(modulus.count), modulus[modulus.count - 1] & 1 == 1,
            (1...4).contains(exponent.count), exponent[exponent.count - 1] & 1 == 1, exponent != [1]
        else { throw failure }
        key = try EVPKey.publicRSAKey(der: RS256PublicKey.subjectPublicKeyInfo(modulus: modulus, exponent: exponent))
    }

    public func isValid(_ signature: [UInt8], of message: [UInt8]) throws(SigningError) -> Bool {
        try key.verify(signature, of: message)
    }

    /// RFC 3279 section 2.3.1: the algorithm, and the key as a bit string.
    private static func subjectPublicKeyInfo(modulus: [UInt8], exponent: [UInt8]) -> [UInt8] {
        let key = element(0x30, integer(modulus) + integer(exponent))
        return element(0x30, rsaEncryption + element(0x03, [0] + key))
    }

    private static func integer(_ digits: [UInt8]) -> [UInt8] {
        element(0x02, (digits[0] >= 0x80 ? [0] : []) + digits)
    }

    /// A DER element: tag, length in the fewest possible bytes, and content of at most 65535 bytes.
    private static func element(_ tag: UInt8, _ content: [UInt8]) -> [UInt8] {
        let length: [UInt8] =
            switch content.count {
            case ..<0x80: [UInt8(content.count)]
            case ..<0x100: [0x81, UInt8(content.count)]
            default: [0x82, UInt8(truncatingIfNeeded: content.count >> 8), UInt8(truncatingIfNeeded: content.count)]
            }
        return [tag] + length + content
    }

    /// SEQUENCE { 1.2.840.113549.1.1.1, NULL }
    private static let rsaEncryption: [UInt8] = [
        0x30, 0x0D, 0x06, 0x09, 0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x01, 0x01, 0x05, 0x00,
    ]
}

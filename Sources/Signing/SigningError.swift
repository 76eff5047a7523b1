/// Why a key, a token or a signature could not be used. Safe to print, because it contains no part of a secret. A
/// retry with the same input can only help after `libraryFailure`.
public struct SigningError: Error, Sendable, Equatable, CustomStringConvertible {
    public enum Code: Sendable, Equatable {
        /// The text is not PEM with one private key.
        case notAPrivateKey
        /// The private key is protected with a passphrase.
        case encryptedKey
        /// The key is not an EC key on P-256.
        case wrongKeyType
        /// The bytes are not a point on P-256.
        case malformedPublicKey
        case malformedSignature
        case malformedToken
        /// The signature was not made with the key.
        case signatureMismatch
        /// The key or nonce has a length that the algorithm does not support.
        case wrongLength
        /// The sealed bytes were changed, or were sealed with another key.
        case notAuthentic
        /// The secret was sealed with a key that is not here.
        case unknownKey
        /// libcrypto failed: it is out of memory, or has no algorithm or randomness.
        case libraryFailure
    }

    public let code: Code
    /// The operation that failed, in this module's terms.
    public let operation: String

    init(_ code: Code, _ operation: String) {
        self.code = code
        self.operation = operation
    }

    public var description: String {
        switch code {
        case .notAPrivateKey: "\(operation): there is no PEM private key (PKCS#8, \"BEGIN PRIVATE KEY\")"
        case .encryptedKey: "\(operation): the private key is encrypted; a key without a passphrase is needed"
        case .wrongKeyType: "\(operation): the key is not an EC key on P-256 (prime256v1)"
        case .malformedPublicKey: "\(operation): the bytes are not an uncompressed point on P-256"
        case .malformedSignature: "\(operation): the signature is malformed"
        case .malformedToken: "\(operation): the text is not a compact ES256 token"
        case .signatureMismatch: "\(operation): the signature does not match"
        case .wrongLength: "\(operation): a key or nonce has the wrong length"
        case .notAuthentic: "\(operation): the bytes are not authentic"
        case .unknownKey: "\(operation): the key is not among those of this server"
        case .libraryFailure: "\(operation): libcrypto failed"
        }
    }
}

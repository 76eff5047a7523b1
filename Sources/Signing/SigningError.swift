/// Why a key, a token or a signature could not be used. Safe to print: no part of a secret is in it. Trying again
/// with the same input helps in no case but `libraryFailure`.
public struct SigningError: Error, Sendable, Equatable, CustomStringConvertible {
    public enum Code: Sendable, Equatable {
        /// Not a PEM text with one private key in it.
        case notAPrivateKey
        /// The private key is locked with a passphrase.
        case encryptedKey
        /// A key of another kind than EC on P-256.
        case wrongKeyType
        /// Bytes that are no point on P-256.
        case malformedPublicKey
        case malformedSignature
        case malformedToken
        /// The signature is not the key's.
        case signatureMismatch
        /// A key or nonce whose length the algorithm does not have.
        case wrongLength
        /// Sealed bytes that were changed, or sealed with another key.
        case notAuthentic
        /// libcrypto refused: out of memory, or no algorithm or randomness.
        case libraryFailure
    }

    public let code: Code
    /// What was done, in words of this module.
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
        case .libraryFailure: "\(operation): libcrypto failed"
        }
    }
}

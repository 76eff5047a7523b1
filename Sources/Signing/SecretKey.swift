/// A key of AES-256-GCM that seals stored secrets.
public struct SecretKey: Sendable, Equatable {
    public static let length = 32
    static let idLength = 8

    let bytes: [UInt8]
    /// Names the key and is no secret: it is derived from the key, so two different keys have different ids.
    public let id: String
    let idBytes: [UInt8]

    init(bytes: [UInt8]) throws(SigningError) {
        guard bytes.count == SecretKey.length else { throw SigningError(.wrongLength, "take a secret key") }
        self.bytes = bytes
        idBytes = try Digest.hkdf(secret: bytes, salt: [], info: Array("secret key id".utf8), count: SecretKey.idLength)
        id = Base64URL.encode(idBytes)
    }

    public static func generate() throws(SigningError) -> SecretKey {
        try SecretKey(bytes: try SecureRandom.bytes(length))
    }

    /// Returns `nil` unless the text is one of `text`.
    public init?(text: some StringProtocol) {
        guard let bytes = Base64URL.decode(text), let key = try? SecretKey(bytes: bytes) else { return nil }
        self = key
    }

    /// The key itself, for the file that keeps it.
    public var text: String { Base64URL.encode(bytes) }
}

extension SecretKey: CustomStringConvertible, CustomReflectable {
    public var description: String { "secret key \(id)" }
    public var customMirror: Mirror { Mirror(self, children: []) }
}

/// Where a sealed secret is stored. Sealed bytes open only at their own place, so a row that somebody has copied over
/// another one is of no use.
public struct SecretPlace: Sendable, Hashable {
    public let table: String
    /// The primary key of the row, as text.
    public let row: String
    public let column: String

    /// No part may contain a NUL, which PostgreSQL does not store either.
    public init(table: String, row: String, column: String) {
        (self.table, self.row, self.column) = (table, row, column)
    }

    var context: [UInt8] { Array("\(table)\u{0}\(row)\u{0}\(column)".utf8) }
}

/// Seals secrets that are stored, with AES-256-GCM.
///
/// The sealed bytes are a version, the id of the key, a random nonce, and the ciphertext with its tag. One key seals at
/// most 2^32 secrets (NIST SP 800-38D, 8.3); a rotation begins with a new key.
public struct SecretSealer: Sendable {
    private static let version: UInt8 = 1
    private static let headLength = 1 + SecretKey.idLength + AESGCM.nonceLength

    private let keys: [String: SecretKey]

    public init(keys: [SecretKey]) {
        self.keys = Dictionary(keys.map { ($0.id, $0) }) { first, _ in first }
    }

    public func hasKey(_ id: String) -> Bool { keys[id] != nil }

    /// Throws `unknownKey` if the sealer does not have the key.
    public func seal(_ secret: [UInt8], key id: String, at place: SecretPlace) throws(SigningError) -> [UInt8] {
        guard let key = keys[id] else { throw SigningError(.unknownKey, "seal a secret") }
        let nonce = try SecureRandom.bytes(AESGCM.nonceLength)
        let head = [SecretSealer.version] + key.idBytes
        let cipher = try AESGCM(.bits256, key: key.bytes)
        return head + nonce + (try cipher.seal(secret, nonce: nonce, authenticating: head + place.context))
    }

    /// Throws `unknownKey` if the secret was sealed with a key that the sealer does not have, and `notAuthentic` if the
    /// bytes were changed or moved.
    public func open(_ sealed: [UInt8], at place: SecretPlace) throws(SigningError) -> [UInt8] {
        guard let id = SecretSealer.keyID(of: sealed) else { throw SigningError(.notAuthentic, "open a secret") }
        guard let key = keys[id] else { throw SigningError(.unknownKey, "open a secret") }
        let head = Array(sealed.prefix(1 + SecretKey.idLength))
        let nonce = Array(sealed[head.count..<SecretSealer.headLength])
        let cipher = try AESGCM(.bits256, key: key.bytes)
        return try cipher.open(
            Array(sealed.dropFirst(SecretSealer.headLength)),
            nonce: nonce,
            authenticating: head + place.context
        )
    }

    /// The id of the key with which the bytes are sealed. Returns `nil` if these are no sealed bytes.
    public static func keyID(of sealed: [UInt8]) -> String? {
        guard sealed.count >= headLength + AESGCM.tagLength, sealed[0] == version else { return nil }
        return Base64URL.encode(sealed[1...SecretKey.idLength])
    }
}

extension SecretSealer: CustomStringConvertible, CustomReflectable {
    public var description: String { "sealer with \(keys.count) keys" }
    public var customMirror: Mirror { Mirror(self, children: []) }
}

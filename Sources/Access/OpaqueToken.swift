/// A random secret that means nothing by itself: the database knows its digest.
public struct OpaqueToken: Sendable, Equatable {
    public enum Kind: String, Sendable {
        /// Pairs one device; stands in the QR code. 131 bits.
        case pairing = "cmp_"
        /// Gets the next pair of tokens. 256 bits.
        case refresh = "cmr_"

        /// Ties one sign-in with Apple to the token made for it. 256 bits.
        case nonce = "cmn_"

        var length: Int { self == .pairing ? 22 : 43 }
    }

    private static let alphabet = Array("0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz".utf8)

    /// What cdev's apps take for a pairing token. Others they use as if they were access tokens.
    private static let cdevPairing = "cdev_p_"

    public let text: String

    /// A pairing token as cdev's apps exchange it. It is the same token.
    public var cdevText: String { OpaqueToken.cdevPairing + text.dropFirst(Kind.pairing.rawValue.count) }

    /// `nil` if the text has not the form of that kind. A pairing token may have either of its prefixes.
    public init?(_ text: String, kind: Kind) {
        var text = text
        if kind == .pairing, text.hasPrefix(OpaqueToken.cdevPairing) {
            text = kind.rawValue + text.dropFirst(OpaqueToken.cdevPairing.count)
        }
        let bytes = text.utf8
        guard text.hasPrefix(kind.rawValue), bytes.count == kind.rawValue.utf8.count + kind.length,
            bytes.dropFirst(kind.rawValue.utf8.count).allSatisfy(OpaqueToken.alphabet.contains)
        else { return nil }
        self.text = text
    }

    private init(unchecked text: String) {
        self.text = text
    }

    public static func generate(_ kind: Kind, using random: inout some RandomNumberGenerator) -> OpaqueToken {
        let secret = (0..<kind.length).map { _ in alphabet[Int.random(in: 0..<alphabet.count, using: &random)] }
        return OpaqueToken(unchecked: kind.rawValue + String(decoding: secret, as: UTF8.self))
    }

    public var digest: SHA256Digest { SHA256Digest(of: text) }
}

extension OpaqueToken: CustomStringConvertible {
    public var description: String { String(text.prefix(4)) + "…" }
}

internal import Signing

/// A random secret without content. The database stores its digest.
package struct OpaqueToken: Sendable, Equatable {
    package enum Kind: String, Sendable {
        /// Pairs one device. Contained in the QR code. 131 bits.
        case pairing = "cmp_"
        /// Obtains the next pair of tokens. 256 bits.
        case refresh = "cmr_"

        /// Binds one sign-in with Apple to the identity token issued for it. 256 bits.
        case nonce = "cmn_"

        var length: Int { self == .pairing ? 22 : 43 }
    }

    /// The prefix of pairing tokens for cdev's apps, which use any other token as an access token.
    private static let cdevPairing = "cdev_p_"

    package let text: String

    /// The same pairing token in the form that cdev's apps exchange.
    package var cdevText: String { OpaqueToken.cdevPairing + text.dropFirst(Kind.pairing.rawValue.count) }

    /// Returns `nil` if the text does not have the form of this kind. A pairing token may have either prefix.
    package init?(_ text: String, kind: Kind) {
        var text = text
        if kind == .pairing, text.hasPrefix(OpaqueToken.cdevPairing) {
            text = kind.rawValue + text.dropFirst(OpaqueToken.cdevPairing.count)
        }
        let bytes = text.utf8
        guard text.hasPrefix(kind.rawValue), bytes.count == kind.rawValue.utf8.count + kind.length,
            bytes.dropFirst(kind.rawValue.utf8.count).allSatisfy(Base62.alphabet.contains)
        else { return nil }
        self.text = text
    }

    private init(unchecked text: String) {
        self.text = text
    }

    package static func generate(_ kind: Kind, using random: inout some RandomNumberGenerator) -> OpaqueToken {
        let secret = Base62.random(kind.length, using: &random)
        return OpaqueToken(unchecked: kind.rawValue + String(decoding: secret, as: UTF8.self))
    }

    package var digest: SHA256Digest { SHA256Digest(of: text) }
}

extension OpaqueToken: CustomStringConvertible {
    package var description: String { String(text.prefix(4)) + "…" }
}

internal import Signing

/// The credential of a machine or of a program: four characters that tell its kind, 30 base62 characters (178 bits) and
/// 6 check characters, the CRC-32 of the 30 in base62. The check distinguishes a typing error from a revoked key, and
/// lets secret scanners recognize keys.
package struct AccessKey: Sendable, Equatable {
    package enum Kind: String, Sendable, CaseIterable {
        /// Posts the events of a machine.
        case machine = "cmk_"
        /// What a program may do.
        case api = "cma_"

        /// The kind that the text claims.
        package init?(claimedBy text: String) {
            guard let kind = Kind.allCases.first(where: { text.hasPrefix($0.rawValue) }) else { return nil }
            self = kind
        }
    }

    static let secretLength = 30
    static let checkLength = 6

    /// The whole key. Shown once, at creation.
    package let text: String

    /// `nil` if the form or the check characters are wrong.
    package init?(_ text: String) {
        guard let kind = Kind(claimedBy: text) else { return nil }
        let bytes = Array(text.utf8.dropFirst(kind.rawValue.utf8.count))
        guard bytes.count == AccessKey.secretLength + AccessKey.checkLength else { return nil }
        let secret = bytes.prefix(AccessKey.secretLength)
        guard secret.allSatisfy(Base62.alphabet.contains),
            Array(bytes.suffix(AccessKey.checkLength)) == AccessKey.checkCharacters(of: secret)
        else { return nil }
        self.text = text
    }

    package static func generate(_ kind: Kind, using random: inout some RandomNumberGenerator) -> AccessKey {
        let secret = Base62.random(secretLength, using: &random)
        let bytes = Array(kind.rawValue.utf8) + secret + checkCharacters(of: secret[...])
        return AccessKey(unchecked: String(decoding: bytes, as: UTF8.self))
    }

    private init(unchecked text: String) {
        self.text = text
    }

    /// The first characters: enough to recognize a key in a list, too few to use it.
    package var shownPrefix: String { String(text.prefix(4 + 6)) }

    package var digest: SHA256Digest { SHA256Digest(of: text) }

    private static func checkCharacters(of secret: ArraySlice<UInt8>) -> [UInt8] {
        var rest = Int(CRC32.checksum(secret))
        var characters: [UInt8] = []
        for _ in 0..<checkLength {
            characters.append(Base62.alphabet[rest % Base62.alphabet.count])
            rest /= Base62.alphabet.count
        }
        return characters.reversed()
    }
}

extension AccessKey: CustomStringConvertible {
    package var description: String { shownPrefix + "…" }
}

/// CRC-32 as in ISO 3309 and zlib, bit by bit.
enum CRC32 {
    static func checksum(_ bytes: some Sequence<UInt8>) -> UInt32 {
        var remainder: UInt32 = 0xFFFF_FFFF
        for byte in bytes {
            remainder ^= UInt32(byte)
            for _ in 0..<8 { remainder = remainder >> 1 ^ (remainder & 1 == 1 ? 0xEDB8_8320 : 0) }
        }
        return ~remainder
    }
}

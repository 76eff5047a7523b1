internal import Signing

/// The credential with which a machine posts events: `cmk_`, 30 base62 characters (178 bits) and 6 check characters,
/// the CRC-32 of the 30 in base62. The check distinguishes a typing error from a revoked key, and lets secret
/// scanners recognize keys.
package struct MachineKey: Sendable, Equatable {
    package static let prefix = "cmk_"
    static let secretLength = 30
    static let checkLength = 6

    /// The whole key. Shown once, at creation.
    package let text: String

    /// `nil` if the form or the check characters are wrong.
    package init?(_ text: String) {
        let bytes = Array(text.utf8)
        let prefix = Array(MachineKey.prefix.utf8)
        guard bytes.count == prefix.count + MachineKey.secretLength + MachineKey.checkLength,
            bytes.starts(with: prefix)
        else { return nil }
        let secret = bytes[prefix.count...].prefix(MachineKey.secretLength)
        guard secret.allSatisfy(Base62.alphabet.contains),
            Array(bytes.suffix(MachineKey.checkLength)) == MachineKey.checkCharacters(of: secret)
        else { return nil }
        self.text = text
    }

    package static func generate(using random: inout some RandomNumberGenerator) -> MachineKey {
        let secret = Base62.random(secretLength, using: &random)
        let bytes = Array(prefix.utf8) + secret + checkCharacters(of: secret[...])
        return MachineKey(unchecked: String(decoding: bytes, as: UTF8.self))
    }

    private init(unchecked text: String) {
        self.text = text
    }

    /// The first characters: enough to recognize a key in a list, too few to use it.
    package var shownPrefix: String { String(text.prefix(MachineKey.prefix.count + 6)) }

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

extension MachineKey: CustomStringConvertible {
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

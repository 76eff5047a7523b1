/// The code that a person types to pair a device: 8 characters of Crockford's base 32 (40 bits) in two groups,
/// `7K3M-P9QX`. Secure only with a short lifetime, single use and limited attempts.
package struct PairingCode: Sendable, Equatable {
    static let length = 8
    /// Without I, L, O and U.
    private static let alphabet = Array("0123456789ABCDEFGHJKMNPQRSTVWXYZ".utf8)

    /// Without the hyphen.
    private let characters: [UInt8]

    /// The code as displayed.
    package var text: String {
        String(decoding: characters.prefix(4), as: UTF8.self) + "-"
            + String(decoding: characters.suffix(4), as: UTF8.self)
    }

    /// Accepts the forms that a person may type: any case, hyphens and spaces anywhere, O for 0, I and L for 1.
    /// Returns `nil` for anything else.
    package init?(_ typed: String) {
        guard typed.utf8.count <= 64 else { return nil }
        var characters: [UInt8] = []
        for byte in typed.utf8 where byte != UInt8(ascii: "-") && byte != UInt8(ascii: " ") {
            let isLowerCase = (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte)
            let letter = isLowerCase ? byte - 32 : byte
            let plain =
                switch letter {
                case UInt8(ascii: "O"): UInt8(ascii: "0")
                case UInt8(ascii: "I"), UInt8(ascii: "L"): UInt8(ascii: "1")
                default: letter
                }
            guard PairingCode.alphabet.contains(plain) else { return nil }
            characters.append(plain)
        }
        guard characters.count == PairingCode.length else { return nil }
        self.characters = characters
    }

    private init(characters: [UInt8]) {
        self.characters = characters
    }

    package static func generate(using random: inout some RandomNumberGenerator) -> PairingCode {
        PairingCode(characters: (0..<length).map { _ in alphabet[Int.random(in: 0..<alphabet.count, using: &random)] })
    }

    package var digest: SHA256Digest { SHA256Digest(of: String(decoding: characters, as: UTF8.self)) }
}

extension PairingCode: CustomStringConvertible {
    package var description: String { "a pairing code" }
}

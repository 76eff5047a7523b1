/// Names whose values are secrets: `password`, `GITHUB_TOKEN`, `x-api-key`, `clientSecret`.
enum SecretName {
    /// Case, underscores, hyphens and dots do not count. `max_tokens` and `token_usage` are no secrets: what counts is
    /// how a name ends.
    static func matches(_ name: Span<UInt8>) -> Bool {
        guard !name.isEmpty else { return false }
        return endings(in: name[name.count - 1].lowercasedASCII).contains { ends(name, with: $0) }
    }

    /// The endings whose last letter is this one; most names are done with after that.
    private static func endings(in letter: UInt8) -> [String] {
        switch letter {
        case UInt8(ascii: "d"): ["password", "passwd"]
        case UInt8(ascii: "e"): ["passphrase"]
        case UInt8(ascii: "t"): ["secret"]
        case UInt8(ascii: "n"): ["token", "authorization"]
        case UInt8(ascii: "y"):
            ["apikey", "accesskey", "secretkey", "privatekey", "signingkey", "encryptionkey", "authkey"]
        case UInt8(ascii: "l"): ["credential"]
        case UInt8(ascii: "s"): ["credentials"]
        default: []
        }
    }

    private static func ends(_ name: Span<UInt8>, with ending: String) -> Bool {
        var position = name.count
        for byte in ending.utf8.reversed() {
            repeat {
                position -= 1
                guard position >= 0 else { return false }
            } while isSeparator(name[position])
            guard name[position].lowercasedASCII == byte else { return false }
        }
        return true
    }

    private static func isSeparator(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: "_") || byte == UInt8(ascii: "-") || byte == UInt8(ascii: ".")
    }
}

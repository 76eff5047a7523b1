/// Names whose values are secrets: `password`, `GITHUB_TOKEN`, `x-api-key`, `clientSecret`.
enum SecretName {
    private static let endings = [
        "password", "passwd", "passphrase", "secret", "token", "apikey", "accesskey", "secretkey", "privatekey",
        "signingkey", "encryptionkey", "authkey", "authorization", "credential", "credentials",
    ]

    /// Case, underscores, hyphens and dots do not count. `max_tokens` and `token_usage` are no secrets: what counts is
    /// how a name ends.
    static func matches(_ name: Span<UInt8>) -> Bool {
        for ending in endings where ends(name, with: ending) { return true }
        return false
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

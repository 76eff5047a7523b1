/// Writes out the patterns of the rules' examples: `{a:36}` becomes 36 characters of base 62.
struct SecretPattern {
    var text: String
    /// What stood in braces, written out: no part of it may remain.
    var secrets: [String]

    private static let alphabets: [Character: String] = [
        "a": "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz", "h": "0123456789abcdef",
        "u": "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ", "l": "0123456789abcdefghijklmnopqrstuvwxyz", "d": "123456789",
        "b": "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/",
    ]

    init(_ pattern: String) {
        var random = Linear(state: UInt64(pattern.utf8.count) &* 7919 &+ 11)
        var text = ""
        var secrets: [String] = []
        var rest = pattern[...]
        while let open = rest.firstIndex(of: "{"), let close = rest[open...].firstIndex(of: "}") {
            text += rest[..<open]
            let parts = rest[rest.index(after: open)..<close].split(separator: ":")
            if parts.count == 2, let letter = parts[0].first, let alphabet = SecretPattern.alphabets[letter],
                let count = Int(parts[1])
            {
                let secret = SecretPattern.filler(Array(alphabet), count, &random)
                text += secret
                secrets.append(secret)
            } else {
                text += rest[open...close]
            }
            rest = rest[rest.index(after: close)...]
        }
        self.text = text + rest
        self.secrets = secrets
    }

    /// With a digit and a letter among the first four, as a random one of that length has somewhere.
    private static func filler(_ alphabet: [Character], _ count: Int, _ random: inout Linear) -> String {
        var characters = (0..<count).map { _ in alphabet[Int(random.next() % UInt64(alphabet.count))] }
        let letter = alphabet.first { $0.isLetter }
        if count >= 3 { characters[1] = "7" }
        if count >= 3, let letter { characters[2] = letter }
        return String(characters)
    }

    /// The secrets of which eight characters in a row, or all where it is shorter, are still in `masked`.
    func remaining(in masked: String) -> [String] {
        secrets.filter { secret in
            let bytes = Array(secret.utf8)
            let width = min(8, bytes.count)
            guard width >= 5 else { return false }
            return (0...(bytes.count - width)).contains { start in
                masked.contains(String(decoding: bytes[start..<(start + width)], as: UTF8.self))
            }
        }
    }

    /// Knuth's MMIX constants: the same text each time.
    private struct Linear {
        var state: UInt64

        mutating func next() -> UInt64 {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return state >> 33
        }
    }
}

/// The rules, compiled for the scanner. Immutable.
final class SecretTable: Sendable {
    static let shared = SecretTable(SecretRules.all)

    /// How the scanner classifies a byte.
    enum Kind: UInt8 {
        /// A byte that ends a word and begins nothing.
        case plain, word, equals, colon, dash, backslash, percent, escape, bracket, tilde
    }

    struct Prefix {
        var offset: Int
        var count: Int
        /// The first four bytes, or all if there are fewer. The first byte is in the lowest bits.
        var head: UInt32 = 0
        /// All bits of the bytes in `head`.
        var mask: UInt32 = 0
        /// The last byte of the prefix.
        var last: UInt8 = 0
        var body: SecretAlphabet
        var minimum: Int
        var place: SecretRule.Place
        /// Called instead of matching `body` and `minimum`.
        var shape: SecretShape?
    }

    struct Ending {
        /// One bit for each letter that occurs in the ending.
        var letters: UInt32
        var offset: Int
        var count: Int
    }

    struct Word {
        /// One bit for each letter that occurs in the word.
        var letters: UInt32
        var offset: Int
        var count: Int
        var strength: SecretName.Strength
        /// The index in `harmless` of the words that make a name with this word harmless.
        var unless: Int
    }

    /// Bits of `classes` in addition to those of `SecretAlphabet`.
    static let endsBareValue: UInt16 = 1 << 15

    let kinds: [Kind]
    let classes: [UInt16]
    /// Sorted by bucket, longer ones first.
    let prefixes: [Prefix]
    let prefixBytes: [UInt8]
    /// The start of each bucket in `prefixes`, and the end after the last.
    let prefixStarts: [UInt16]
    /// For each bucket, the third bytes of its prefixes, each as bit `byte & 63`.
    let thirdBytes: [UInt64]
    /// The prefixes that are unmistakable inside a word too: those that end with a hyphen or an underscore. Sorted by
    /// the bucket of the two bytes before their last one.
    let glued: [Prefix]
    /// The start of each of these buckets in `glued`, and the end after the last.
    let gluedStarts: [UInt16]
    /// Sorted by the last letter, shorter ones first.
    let endings: [Ending]
    /// Reversed: the last letter first.
    let endingBytes: [UInt8]
    /// For each last letter, the index of its first entry in `endings`.
    let endingStarts: [Int]
    let words: [Word]
    let wordBytes: [UInt8]
    /// Words that make a name harmless.
    let harmless: [SecretWordSet]
    /// For each last letter, the index of the first entry in `words` that may end a name.
    let lastWordStarts: [Int]
    /// Indexes into `words`: the inner words of names by their first letter.
    let innerWordStarts: [Int]
    /// The letters of each inner word, one bit each.
    let innerLetters: [UInt32]

    init(_ rules: [SecretRule]) {
        kinds = (0...255).map { SecretTable.kind(of: UInt8($0)) }
        classes = (0...255).map { byte in
            SecretAlphabet.of(UInt8(byte)).rawValue
                | (SecretTable.endsBare(UInt8(byte)) ? SecretTable.endsBareValue : 0)
        }
        let found = SecretTable.allPrefixes(of: rules).sorted { left, right in
            (SecretTable.bucket(left.bytes[0], left.bytes[1]), right.bytes.count)
                < (SecretTable.bucket(right.bytes[0], right.bytes[1]), left.bytes.count)
        }
        var packed: [Prefix] = []
        var bytes: [UInt8] = []
        for (prefix, text) in found {
            var prefix = prefix
            prefix.offset = bytes.count
            prefix.count = text.count
            prefix.last = text[text.count - 1]
            for (number, byte) in text.prefix(4).enumerated() {
                prefix.head |= UInt32(byte) << UInt32(8 * number)
                prefix.mask |= 0xFF << UInt32(8 * number)
            }
            packed.append(prefix)
            bytes += text
        }
        prefixes = packed
        prefixBytes = bytes
        thirdBytes = found.reduce(into: [UInt64](repeating: 0, count: SecretTable.bucketCount)) { bits, prefix in
            let third = prefix.bytes.count > 2 ? 1 << UInt64(prefix.bytes[2] & 63) : UInt64.max
            bits[SecretTable.bucket(prefix.bytes[0], prefix.bytes[1])] |= third
        }
        prefixStarts = SecretTable.bucketStarts(of: found.map { SecretTable.bucket($0.bytes[0], $0.bytes[1]) })
        let ends = SecretTable.glued(among: packed).map { prefix in
            let last = prefix.offset + prefix.count - 1
            return (bucket: SecretTable.bucket(bytes[last - 2], bytes[last - 1]), prefix: prefix)
        }.sorted { $0.bucket < $1.bucket }
        glued = ends.map(\.prefix)
        gluedStarts = SecretTable.bucketStarts(of: ends.map(\.bucket))
        let reversed = SecretTable.allEndings(of: rules).sorted { ($0[0], $0.count) < ($1[0], $1.count) }
        var offset = 0
        endings = reversed.map { ending in
            defer { offset += ending.count }
            return Ending(letters: SecretName.letters(of: ending.span), offset: offset, count: ending.count)
        }
        endingBytes = reversed.flatMap(\.self)
        endingStarts = SecretTable.starts(of: reversed.map { $0[0] })
        let named = SecretTable.NamedWords(rules)
        words = named.words
        wordBytes = named.bytes
        harmless = named.harmless
        lastWordStarts = SecretTable.starts(of: named.lastLetters)
        innerLetters = named.words[named.lastLetters.count...].map(\.letters)
        innerWordStarts = SecretTable.starts(of: named.firstLetters).map { $0 + named.lastLetters.count }
    }

    /// The words of names, with last words first.
    private struct NamedWords {
        var words: [Word] = []
        var bytes: [UInt8] = []
        var harmless: [SecretWordSet] = []
        var lastLetters: [UInt8] = []
        var firstLetters: [UInt8] = []

        init(_ rules: [SecretRule]) {
            var last: [(bytes: [UInt8], strength: SecretName.Strength, unless: [String])] = []
            var inner = last
            for rule in rules {
                switch rule.form {
                case .lastWord(let word, let strength, let unless): last.append((Array(word.utf8), strength, unless))
                case .innerWord(let word, let unless): inner.append((Array(word.utf8), .likely, unless))
                default: continue
                }
            }
            last.sort { $0.bytes[$0.bytes.count - 1] < $1.bytes[$1.bytes.count - 1] }
            inner.sort { $0.bytes[0] < $1.bytes[0] }
            lastLetters = last.map { $0.bytes[$0.bytes.count - 1] }
            firstLetters = inner.map { $0.bytes[0] }
            for (text, strength, unless) in last + inner {
                words.append(
                    Word(
                        letters: SecretName.letters(of: text.span),
                        offset: bytes.count,
                        count: text.count,
                        strength: strength,
                        unless: harmless.count
                    )
                )
                bytes += text
                harmless.append(SecretWordSet(unless))
            }
        }
    }

    static let bucketCount = 1024

    /// The bucket of the prefixes that begin with these two bytes.
    @inline(__always)
    static func bucket(_ first: UInt8, _ second: UInt8) -> Int { (Int(first) << 4 ^ Int(second)) & (bucketCount - 1) }

    /// `buckets` must be sorted.
    private static func bucketStarts(of buckets: [Int]) -> [UInt16] {
        (0...bucketCount).map { bucket in UInt16(buckets.firstIndex { $0 >= bucket } ?? buckets.count) }
    }

    private static func glued(among prefixes: [Prefix]) -> [Prefix] {
        prefixes.filter { prefix in
            let isHyphen = prefix.last == UInt8(ascii: "-")
            return prefix.shape == nil && prefix.place == .wordStart && prefix.minimum >= 8
                && (isHyphen ? prefix.count >= 5 : prefix.last == UInt8(ascii: "_") && prefix.count >= 4)
        }
    }

    private static func allPrefixes(of rules: [SecretRule]) -> [(prefix: Prefix, bytes: [UInt8])] {
        rules.flatMap { rule -> [(prefix: Prefix, bytes: [UInt8])] in
            switch rule.form {
            case .prefix(let text, let body, let minimum, let place):
                let prefix = Prefix(offset: 0, count: 0, body: body, minimum: minimum, place: place, shape: nil)
                return [(prefix, Array(text.utf8))]
            case .shape(let shape):
                let prefix = Prefix(offset: 0, count: 0, body: [], minimum: 0, place: .wordStart, shape: shape)
                return shape.beginnings.map { (prefix, Array($0.utf8)) }
            default: return []
            }
        }
    }

    private static func allEndings(of rules: [SecretRule]) -> [[UInt8]] {
        rules.compactMap { rule in
            guard case .nameEnding(let ending) = rule.form else { return nil }
            return ending.utf8.reversed()
        }
    }

    /// `firsts` must be sorted.
    private static func starts(of firsts: [UInt8]) -> [Int] {
        (0...256).map { byte in firsts.firstIndex { Int($0) >= byte } ?? firsts.count }
    }

    private static func kind(of byte: UInt8) -> Kind {
        switch byte {
        case UInt8(ascii: "="): .equals
        case UInt8(ascii: ":"): .colon
        case UInt8(ascii: "-"): .dash
        case UInt8(ascii: "\\"): .backslash
        case UInt8(ascii: "%"): .percent
        case UInt8(ascii: "["): .bracket
        case UInt8(ascii: "~"): .tilde
        case 0x1B: .escape
        default: byte.isASCIIAlphanumeric ? .word : .plain
        }
    }

    private static func endsBare(_ byte: UInt8) -> Bool {
        switch byte {
        case 0...0x20, UInt8(ascii: "\""), UInt8(ascii: "'"), UInt8(ascii: "`"), UInt8(ascii: ","), UInt8(ascii: ";"),
            UInt8(ascii: "&"), UInt8(ascii: ")"), UInt8(ascii: "}"), UInt8(ascii: "]"), UInt8(ascii: "<"),
            UInt8(ascii: ">"), UInt8(ascii: "\\"), UInt8(ascii: "|"):
            true
        default: false
        }
    }
}

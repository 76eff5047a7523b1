/// One form of a secret, as data.
///
/// The examples are patterns, so that secret scanners report no leak in this file. `{a:36}` stands for 36 base-62
/// characters. The other letters are `h` (lower-case hexadecimal), `u` (upper case and digits), `l` (lower case and
/// digits), `d` (digits) and `b` (base64). The tests replace each pattern by such characters and check that masking
/// removes them.
struct SecretRule: Sendable {
    enum Form: Sendable {
        /// `text`, then at least `minimum` bytes of `body`. The prefix is kept, the body is masked.
        case prefix(String, SecretAlphabet, minimum: Int, Place = .wordStart)
        /// A name with this ending, ignoring case and separators. Its value is masked.
        case nameEnding(String)
        /// A name of several words that ends with this word. `unless`: preceding words that make it harmless.
        case lastWord(String, SecretName.Strength, unless: [String] = [])
        /// A name that contains this word before its last one. `unless`: last words that make it harmless.
        case innerWord(String, unless: [String])
        /// Recognised by a function of `SecretShape`.
        case shape(SecretShape)
    }

    enum Place: Sendable {
        /// The prefix must not follow a letter or a digit, unless it is long and ends with a hyphen or an underscore.
        case wordStart
        /// Like `wordStart`, but the prefix must not follow a hyphen or a dot either. For short prefixes.
        case tokenStart
        /// Like `tokenStart`, but the prefix must not follow an underscore either. For prefixes that occur in names in
        /// source code.
        case nameStart
    }

    /// The service that issues the secret, or the kind of secret.
    var family: String
    var form: Form
    var example: String
    /// A similar text that must not be masked.
    var counterexample: String

    /// A key with its own prefix.
    static func key(
        _ family: String,
        _ prefix: String,
        _ body: SecretAlphabet,
        _ minimum: Int,
        _ place: Place = .wordStart,
        example: String,
        not counterexample: String
    ) -> SecretRule {
        SecretRule(
            family: family,
            form: .prefix(prefix, body, minimum: minimum, place),
            example: prefix + example,
            counterexample: counterexample
        )
    }
}

/// Sets of ASCII characters.
struct SecretAlphabet: OptionSet, Sendable {
    var rawValue: UInt16

    static let digit = SecretAlphabet(rawValue: 1)
    static let lowerHex = SecretAlphabet(rawValue: 1 << 1)
    static let upperHex = SecretAlphabet(rawValue: 1 << 2)
    static let otherLower = SecretAlphabet(rawValue: 1 << 3)
    static let otherUpper = SecretAlphabet(rawValue: 1 << 4)
    static let dash = SecretAlphabet(rawValue: 1 << 5)
    static let dot = SecretAlphabet(rawValue: 1 << 6)
    static let plusSlash = SecretAlphabet(rawValue: 1 << 7)
    static let equals = SecretAlphabet(rawValue: 1 << 8)
    static let tildePercent = SecretAlphabet(rawValue: 1 << 9)

    static let hex: SecretAlphabet = [.digit, .lowerHex, .upperHex]
    static let lower: SecretAlphabet = [.lowerHex, .otherLower]
    static let upper: SecretAlphabet = [.upperHex, .otherUpper]
    static let upperDigits: SecretAlphabet = [.upper, .digit]
    static let base62: SecretAlphabet = [.digit, .lower, .upper]
    /// The base64url alphabet: `-` and `_` too.
    static let token: SecretAlphabet = [.base62, .dash]
    static let dotted: SecretAlphabet = [.token, .dot]
    static let base64: SecretAlphabet = [.base62, .plusSlash, .equals]
    static let path: SecretAlphabet = [.token, .dot, .plusSlash, .equals, .tildePercent]
    /// A random value after a name; `=` may follow it.
    static let random: SecretAlphabet = [.dotted, .plusSlash, .tildePercent]

    static func of(_ byte: UInt8) -> SecretAlphabet {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): .digit
        case UInt8(ascii: "a")...UInt8(ascii: "f"): .lowerHex
        case UInt8(ascii: "g")...UInt8(ascii: "z"): .otherLower
        case UInt8(ascii: "A")...UInt8(ascii: "F"): .upperHex
        case UInt8(ascii: "G")...UInt8(ascii: "Z"): .otherUpper
        case UInt8(ascii: "-"), UInt8(ascii: "_"): .dash
        case UInt8(ascii: "."): .dot
        case UInt8(ascii: "+"), UInt8(ascii: "/"): .plusSlash
        case UInt8(ascii: "="): .equals
        case UInt8(ascii: "~"), UInt8(ascii: "%"): .tildePercent
        default: []
        }
    }
}
